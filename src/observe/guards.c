// Post-dominators say where the sides of a branch reconverge (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
// Algorithm", on the reversed graph of instructions). See guards.h.
#include "observe/guards.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 1 << 16, SUCCESSORS = 64, HISTORY = 64 };
static const uint32_t NOWHERE = UINT32_MAX;

typedef struct guard {
    uint32_t at;
    bool jumps_past; // the lanes that take the branch are those that come to no barrier
    bool ends;       // the sides reconverge where nothing is left but to end
    uint8_t *
        behind; // of the function's instructions, by index: reached on the other side, before both reconverge
} guard;

struct observe_guards {
    const ptx_function *function;
    observe_guarded guarded;
    uint32_t count;
    guard guards[OBSERVE_GUARDS];
};

bool observe_is_barrier(const ptx_inst *inst) { return ptx_op_get(inst->op)->end == PTX_END_BARRIER; }

static bool is_guarded(const ptx_inst *inst, observe_guarded guarded) {
    if (guarded == OBSERVE_GUARDED_BARRIERS) return observe_is_barrier(inst);
    return ptx_op_get(inst->op)->end == PTX_END_SYNC;
}

static bool has_effect(const ptx_inst *inst) {
    switch (ptx_op_get(inst->op)->class) {
    case PTX_CLASS_STORE:
    case PTX_CLASS_ATOMIC:
    case PTX_CLASS_REDUCTION: return true;
    default: return false;
    }
}

uint32_t observe_successors(const ptx_function *f, uint32_t at, uint32_t *to, uint32_t room) {
    const ptx_inst *inst = &f->insts[at];
    uint32_t count = 0;
    bool goes_on = inst->guard >= 0;
    switch (ptx_op_get(inst->op)->end) {
    case PTX_END_BRANCH:
        if (count < room) to[count++] = (uint32_t)inst->operands[0].value;
        break;
    case PTX_END_TABLE: {
        const ptx_table *table = &f->tables[inst->operands[1].value];
        for (uint32_t i = 0; i < table->count && count < room; i++) to[count++] = table->labels[i];
        break;
    }
    case PTX_END_RETURN:
    case PTX_END_EXIT:
    case PTX_END_TRAP: break;
    default: goes_on = true;
    }
    if (goes_on && count < room) to[count++] = at + 1;
    return count;
}

// ---- where the sides reconverge ----------------------------------------------------------------------------------

// The graph: instruction n is the end, which those come to that have no other successor, or may return.
typedef struct graph {
    const ptx_function *f;
    uint32_t n;
    uint32_t *from, *from_begin; // who comes to i: from[from_begin[i]] to from[from_begin[i + 1]]
    uint32_t *number;            // in the order in which a walk back from the end leaves them; NOWHERE: never
    uint32_t *order;             // the other way round
    uint32_t reached;
    uint32_t *join; // the instruction that every way from i to the end comes by first
} graph;

static uint32_t next_of(const graph *g, uint32_t at, uint32_t to[SUCCESSORS + 1]) {
    uint32_t count = observe_successors(g->f, at, to, SUCCESSORS);
    const ptx_inst *inst = &g->f->insts[at];
    ptx_end end = ptx_op_get(inst->op)->end;
    bool may_end = end == PTX_END_RETURN || end == PTX_END_EXIT || end == PTX_END_TRAP;
    for (uint32_t i = 0; i < count; i++)
        if (to[i] > g->n) to[i] = g->n;
    if (count == 0 || may_end) to[count++] = g->n;
    return count;
}

static void find_who_comes(graph *g) {
    uint32_t to[SUCCESSORS + 1];
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < g->n; i++) {
            uint32_t count = next_of(g, i, to);
            for (uint32_t k = 0; k < count; k++) {
                if (pass == 0)
                    g->from_begin[to[k] + 1]++;
                else
                    g->from[g->number[to[k]]++] = i;
            }
        }
        for (uint32_t i = 0; pass == 0 && i <= g->n; i++) g->from_begin[i + 1] += g->from_begin[i];
        for (uint32_t i = 0; pass == 0 && i <= g->n; i++) g->number[i] = g->from_begin[i];
    }
}

// `stack` and `at` have room for every instruction and the end.
static void walk_back(graph *g, uint32_t *stack, uint32_t *at) {
    uint32_t depth = 1;
    for (uint32_t i = 0; i <= g->n; i++) g->number[i] = NOWHERE, at[i] = NOWHERE;
    stack[0] = g->n;
    at[g->n] = g->from_begin[g->n];
    while (depth) {
        uint32_t here = stack[depth - 1];
        if (at[here] < g->from_begin[here + 1]) {
            uint32_t to = g->from[at[here]++];
            if (at[to] != NOWHERE) continue;
            at[to] = g->from_begin[to];
            stack[depth++] = to;
        } else {
            g->number[here] = g->reached;
            g->order[g->reached++] = here;
            depth--;
        }
    }
}

static uint32_t common(const graph *g, uint32_t a, uint32_t b) {
    while (a != b) {
        while (g->number[a] < g->number[b]) a = g->join[a];
        while (g->number[b] < g->number[a]) b = g->join[b];
    }
    return a;
}

static void find_meets(graph *g) {
    uint32_t to[SUCCESSORS + 1];
    for (uint32_t i = 0; i <= g->n; i++) g->join[i] = NOWHERE;
    g->join[g->n] = g->n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->reached - 1; i-- > 0;) { // the end is the last
            uint32_t here = g->order[i], found = NOWHERE, count = next_of(g, here, to);
            for (uint32_t k = 0; k < count; k++) {
                if (g->join[to[k]] == NOWHERE) continue;
                found = found == NOWHERE ? to[k] : common(g, found, to[k]);
            }
            if (found == g->join[here]) continue;
            g->join[here] = found;
            changed = true;
        }
    }
}

// ---- the branches ------------------------------------------------------------------------------------------

// A side of a branch: what is on it before both sides reconverge.
typedef struct side {
    uint8_t *marks;
    bool is_guarded, has_effect;
} side;

// Marks what is reached from `from` before `join`.
static void mark_side(const graph *g, uint32_t from, uint32_t join, observe_guarded guarded, side *out,
                      uint32_t *stack) {
    uint32_t depth = 0, to[SUCCESSORS + 1];
    uint8_t *marks = out->marks;
    out->is_guarded = out->has_effect = false;
    memset(marks, 0, g->n + 1);
    if (from != join && from < g->n) marks[from] = 1, stack[depth++] = from;
    while (depth) {
        uint32_t here = stack[--depth], count = next_of(g, here, to);
        out->is_guarded |= is_guarded(&g->f->insts[here], guarded);
        out->has_effect |= has_effect(&g->f->insts[here]);
        for (uint32_t k = 0; k < count; k++) {
            if (to[k] == join || to[k] == g->n || marks[to[k]]) continue;
            marks[to[k]] = 1;
            stack[depth++] = to[k];
        }
    }
}

// Whether nothing is left but to end.
static bool is_end(const graph *g, uint32_t at) {
    for (uint32_t steps = 0; at < g->n && steps < g->n; steps++) {
        const ptx_inst *inst = &g->f->insts[at];
        ptx_end end = ptx_op_get(inst->op)->end;
        if (end != PTX_END_BRANCH || inst->guard >= 0)
            return (end == PTX_END_RETURN || end == PTX_END_EXIT) && inst->guard < 0;
        at = (uint32_t)inst->operands[0].value;
    }
    return true;
}

static bool find_guards(const graph *g, observe_guards *out, uint32_t *stack) {
    side taken = {malloc(g->n + 1), false, false}, other = {malloc(g->n + 1), false, false};
    for (uint32_t i = 0; taken.marks && other.marks && i < g->n && out->count < OBSERVE_GUARDS; i++) {
        const ptx_inst *inst = &g->f->insts[i];
        if (ptx_op_get(inst->op)->end != PTX_END_BRANCH || inst->guard < 0 || g->join[i] == NOWHERE) continue;
        bool ends = is_end(g, g->join[i]);
        if (ends && out->guarded == OBSERVE_GUARDED_BARRIERS) continue;
        mark_side(g, (uint32_t)inst->operands[0].value, g->join[i], out->guarded, &taken, stack);
        mark_side(g, i + 1, g->join[i], out->guarded, &other, stack);
        if (taken.is_guarded == other.is_guarded) continue;
        side *waits = taken.is_guarded ? &taken : &other, *past = taken.is_guarded ? &other : &taken;
        if (ends && !past->has_effect) continue;
        out->guards[out->count++] =
            (guard){.at = i, .jumps_past = other.is_guarded, .ends = ends, .behind = waits->marks};
        waits->marks = malloc(g->n + 1);
    }
    free(taken.marks);
    free(other.marks);
    return out->count > 0;
}

// A call may hold barriers, and a table of many branches is cut short: then nobody knows.
static bool is_known(const ptx_function *f, observe_guarded guarded) {
    bool any = false;
    uint32_t to[SUCCESSORS];
    if (f->inst_count > MOST_INSTRUCTIONS) return false;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        any = any || is_guarded(&f->insts[i], guarded);
        if (f->insts[i].op == PTX_OP_CALL || observe_successors(f, i, to, SUCCESSORS) == SUCCESSORS)
            return false;
    }
    return any;
}

observe_guards *observe_guards_open(const ptx_function *f, observe_guarded guarded) {
    if (!is_known(f, guarded)) return NULL;
    size_t n = f->inst_count, edges = 0;
    uint32_t to[SUCCESSORS + 1];
    graph g = {.f = f, .n = f->inst_count};
    for (uint32_t i = 0; i < n; i++) edges += next_of(&g, i, to);
    uint32_t *memory = calloc(edges + 7 * (n + 2), sizeof *memory);
    observe_guards *out = calloc(1, sizeof *out);
    bool found = false;
    if (memory && out) {
        out->function = f;
        out->guarded = guarded;
        uint32_t *stack = memory + 5 * (n + 2), *at = stack + n + 2;
        g.from_begin = memory;
        g.number = memory + (n + 2);
        g.order = memory + 2 * (n + 2);
        g.join = memory + 3 * (n + 2);
        g.from = memory + 7 * (n + 2);
        find_who_comes(&g);
        walk_back(&g, stack, at);
        find_meets(&g);
        found = find_guards(&g, out, stack);
    }
    free(memory);
    if (found) return out;
    observe_guards_close(out);
    return NULL;
}

void observe_guards_close(observe_guards *guards) {
    if (!guards) return;
    for (uint32_t i = 0; i < guards->count; i++) free(guards->guards[i].behind);
    free(guards);
}

uint32_t observe_guards_count(const observe_guards *guards) { return guards ? guards->count : 0; }

// ---- who went where ----------------------------------------------------------------------------------------

void observe_guards_branch(const observe_guards *guards, observe_rounds *rounds, const ptx_inst *inst,
                           uint32_t mask, uint32_t taken) {
    for (uint32_t i = 0; i < guards->count; i++) {
        const guard *g = &guards->guards[i];
        if (inst != &guards->function->insts[g->at]) continue;
        uint32_t past = g->jumps_past ? taken : ~taken;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            observe_rounds *r = &rounds[i * OBSERVE_GUARD_LANES + lane];
            r->past = r->past << 1 | (past >> lane & 1);
            r->count++;
        }
        return;
    }
}

uint32_t observe_guards_past(const observe_guards *guards, const observe_rounds *rounds,
                             const ptx_inst *barrier, uint32_t lane, uint32_t others, const ptx_inst **branch,
                             bool *ends) {
    const ptx_function *f = guards->function;
    if (barrier < f->insts || barrier >= f->insts + f->inst_count) return 0;
    for (uint32_t i = 0; i < guards->count; i++) {
        const guard *g = &guards->guards[i];
        const observe_rounds *of = &rounds[i * OBSERVE_GUARD_LANES], *waits = &of[lane];
        if (!g->behind[barrier - f->insts] || !waits->count || waits->past & 1) continue;
        uint32_t found = 0;
        for (uint32_t m = others; m; m &= m - 1) {
            uint32_t other = (uint32_t)__builtin_ctz(m), later = of[other].count - waits->count;
            if (of[other].count < waits->count || later >= HISTORY) continue;
            if (of[other].past >> later & 1) found |= m & (0u - m);
        }
        if (!found) continue;
        *branch = &f->insts[g->at];
        *ends = g->ends;
        return found;
    }
    return 0;
}
