// Accesses that leave their array and hit its neighbour: in shared memory, and among a thread's local arrays. The
// machine faults only where no array is at all.
//
// Which array an access is meant for is read off the PTX: the address is computed from the name of one variable. Where
// two names, or none, could be behind it, nothing is said. A function's local arrays are one variable in PTX, in which
// each begins where an address in it is formed by a constant.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "sim/inspect.h"

// What a register may hold: nothing yet, a number, the beginning of a function's local memory, something unknown, or
// an address in extent number value - IN_EXTENT.
enum { NOTHING, NUMBER, UNKNOWN, STACK, IN_EXTENT };

typedef struct extent {
    const ptx_variable *variable;
    uint64_t from, to; // bytes of it
} extent;

typedef struct detector {
    observe_detector detector; // first
    observe_findings *findings;
    extent *extents;
    uint32_t count, capacity;
    uint32_t *meant; // by serial: extent + 1, 0 for none
    uint32_t inst_capacity;
    uint32_t *held; // by register, of one function
    uint32_t register_capacity;
    uint32_t shared_bytes, local_bytes;
    observe_finding finding;
} detector;

static bool reserve(void **list, uint32_t *capacity, uint32_t wanted, size_t size) {
    if (wanted <= *capacity) return true;
    uint32_t room = *capacity ? *capacity : 16;
    while (room < wanted) room *= 2;
    void *grown = realloc(*list, room * size);
    if (!grown) return false;
    *list = grown;
    *capacity = room;
    return true;
}

// ---- what a register holds ---------------------------------------------------------------------------------

static bool is_shared(const ptx_variable *v) {
    return v->space == PTX_MOD_SHARED || v->space == PTX_MOD_SHARED_CTA;
}

static uint32_t extent_at(detector *self, const ptx_variable *variable, uint64_t from) {
    for (uint32_t i = 0; i < self->count; i++)
        if (self->extents[i].variable == variable && self->extents[i].from == from) return IN_EXTENT + i;
    if (!reserve((void **)&self->extents, &self->capacity, self->count + 1, sizeof *self->extents))
        return UNKNOWN;
    self->extents[self->count] = (extent){variable, from, variable->size};
    return IN_EXTENT + self->count++;
}

static uint32_t of_variable(detector *self, const ptx_operand *operand) {
    const ptx_variable *v = operand->variable;
    if (is_shared(v)) return v->size ? extent_at(self, v, 0) : UNKNOWN; // dynamic: has no size of its own
    return v->space == PTX_MOD_LOCAL && operand->value == 0 ? STACK : UNKNOWN;
}

static uint32_t held_in(detector *self, const ptx_operand *operand) {
    switch (operand->kind) {
    case PTX_OPERAND_REG: return operand->reg >= 0 ? self->held[operand->reg] : UNKNOWN;
    case PTX_OPERAND_VARIABLE: return of_variable(self, operand);
    case PTX_OPERAND_INT:
    case PTX_OPERAND_SPECIAL: return NUMBER;
    default: return UNKNOWN;
    }
}

static uint32_t join(uint32_t a, uint32_t b) {
    return a == NOTHING || a == b ? b : b == NOTHING ? a : UNKNOWN;
}

static uint32_t sum(detector *self, const ptx_function *f, const ptx_operand *a, const ptx_operand *b) {
    uint32_t left = held_in(self, a), right = held_in(self, b);
    if (left == NOTHING || right == NOTHING) return NOTHING;
    if (left == STACK && b->kind == PTX_OPERAND_INT)
        for (uint32_t i = 0; i < f->local_count; i++)
            if (f->locals[i]->space == PTX_MOD_LOCAL)
                return extent_at(self, f->locals[i], (uint64_t)b->value);
    if (right == NUMBER && left != STACK) return left;
    return left == NUMBER && right != STACK ? right : UNKNOWN;
}

static bool is_address_of_none(uint32_t held) { return held == NUMBER || held == NOTHING; }

// What the instruction leaves in its destination.
static uint32_t result_of(detector *self, const ptx_function *f, const ptx_inst *inst) {
    const ptx_operand *o = inst->operands;
    switch (inst->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_CVT: return held_in(self, &o[1]);
    case PTX_OP_ADD: return sum(self, f, &o[1], &o[2]);
    case PTX_OP_SUB: return held_in(self, &o[2]) == NUMBER ? sum(self, f, &o[1], &o[2]) : UNKNOWN;
    case PTX_OP_OR: return o[2].kind == PTX_OPERAND_INT ? sum(self, f, &o[1], &o[2]) : NUMBER;
    case PTX_OP_MAD:
        return is_address_of_none(held_in(self, &o[1])) && is_address_of_none(held_in(self, &o[2]))
                   ? held_in(self, &o[3])
                   : UNKNOWN;
    case PTX_OP_SELP: return join(held_in(self, &o[1]), held_in(self, &o[2]));
    default:
        for (uint32_t i = 1; i < inst->operand_count; i++)
            if (o[i].kind != PTX_OPERAND_ADDRESS && !is_address_of_none(held_in(self, &o[i]))) return UNKNOWN;
        return NUMBER;
    }
}

static bool follow(detector *self, const ptx_function *f, const ptx_inst *inst) {
    const ptx_operand *to = inst->operand_count ? &inst->operands[0] : NULL;
    if (!to || !ptx_op_has_destination(inst->op)) return false;
    bool changed = false;
    uint32_t count = to->kind == PTX_OPERAND_VECTOR ? to->element_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *part = to->kind == PTX_OPERAND_VECTOR ? &to->elements[i] : to;
        if (part->kind != PTX_OPERAND_REG || part->reg < 0) continue;
        uint32_t *held = &self->held[part->reg];
        uint32_t now = join(*held, to->kind == PTX_OPERAND_VECTOR ? NUMBER : result_of(self, f, inst));
        changed |= now != *held;
        *held = now;
    }
    return changed;
}

// ---- what an access is meant for ---------------------------------------------------------------------------

static void find_meant(detector *self, const ptx_function *f) {
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            const ptx_operand *o = &inst->operands[k];
            if (o->kind != PTX_OPERAND_ADDRESS || o->element_count) continue;
            uint32_t held = o->reg >= 0 ? self->held[o->reg] : o->variable ? of_variable(self, o) : UNKNOWN;
            if (held >= IN_EXTENT) self->meant[inst->serial] = held - IN_EXTENT + 1;
        }
    }
}

// A local array ends where the next begins.
static void find_ends(detector *self, uint32_t first) {
    for (uint32_t i = first; i < self->count; i++)
        for (uint32_t k = first; k < self->count; k++) {
            extent *one = &self->extents[i];
            const extent *other = &self->extents[k];
            if (other->variable == one->variable && other->from > one->from && other->from < one->to)
                one->to = other->from;
        }
}

static void look_at_function(detector *self, const ptx_function *f) {
    if (!reserve((void **)&self->held, &self->register_capacity, f->reg_count + 1, sizeof *self->held))
        return;
    memset(self->held, 0, (f->reg_count + 1) * sizeof *self->held);
    uint32_t first = self->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->inst_count; i++) changed |= follow(self, f, &f->insts[i]);
    }
    find_meant(self, f);
    find_ends(self, first);
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    detector *self = (detector *)listener;
    const ptx_module *module = event->module;
    self->count = 0;
    self->shared_bytes = event->shared_bytes;
    self->local_bytes = event->local_bytes;
    if (!reserve((void **)&self->meant, &self->inst_capacity, module->inst_count + 1, sizeof *self->meant))
        return;
    memset(self->meant, 0, self->inst_capacity * sizeof *self->meant);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        if (f->inst_count && (!f->is_entry || f == event->entry)) look_at_function(self, f);
    }
}

// ---- accesses ----------------------------------------------------------------------------------------------

static void report(detector *self, const sim_access *access, uint32_t lane, const extent *meant,
                   uint64_t begin) {
    observe_finding *finding = &self->finding;
    char name[OBSERVE_NAME], array[OBSERVE_NAME + 64];
    uint64_t size = meant->to - meant->from, at = access->addresses[lane];
    bool before = at < begin;
    if (is_shared(meant->variable))
        snprintf(array, sizeof array, "shared array %s of %" PRIu64 " bytes",
                 observe_plain_name(meant->variable->name, name), size);
    else
        snprintf(array, sizeof array, "a local array of %" PRIu64 " bytes", size);
    *finding = (observe_finding){.kind = OBSERVE_OUT_OF_BOUNDS,
                                 .first = {.inst = access->at.inst,
                                           .block = access->at.block,
                                           .thread = access->at.warp * 32 + lane,
                                           .is_write = access->kind != SIM_LOAD,
                                           .is_atomic = access->kind == SIM_ATOMIC,
                                           .agent = access->agent},
                                 .self = access->at.self,
                                 .space = access->space,
                                 .address = at,
                                 .bytes = access->bytes};
    char where[64] = "just past its end";
    if (before)
        snprintf(where, sizeof where, "%" PRIu64 " bytes before its beginning", begin - at);
    else if (at > begin + size)
        snprintf(where, sizeof where, "%" PRIu64 " bytes past its end", at - begin - size);
    snprintf(
        finding->text, sizeof finding->text,
        "an access to %s, %s, hits its neighbour in %s memory\nlikely cause: %s\nwhat to do: %s", array,
        where, is_shared(meant->variable) ? "shared" : "local",
        before
            ? "an index below 0: the element before the first"
            : "the array has fewer elements than the index reaches: one per thread or tile, and one more for "
              "padding or a halo",
        before ? "treat the first elements apart, or test the index before the access"
               : "compare the array's size with the largest index at this line");
    observe_findings_add(self->findings, finding);
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    const detector *self = (const detector *)listener;
    return inst->serial < self->inst_capacity && self->meant[inst->serial] ? SIM_WANT_ACCESS : 0;
}

// Vector code for the usual case: of an offset past the end, it or its distance to the end has the highest bit.
static bool are_inside(const sim_access *access, uint64_t begin, uint64_t end) {
    uint64_t over = 0, limit = end - begin - access->bytes;
    if (access->at.mask != UINT32_MAX || end - begin < access->bytes) return false;
    for (int i = 0; i < 32; i++) {
        uint64_t offset = access->addresses[i] - begin;
        over |= offset | (limit - offset);
    }
    return !(over >> 63);
}

static void on_access(sim_listener *listener, const sim_access *access) {
    detector *self = (detector *)listener;
    const ptx_inst *inst = access->at.inst;
    uint32_t index = inst->serial < self->inst_capacity ? self->meant[inst->serial] : 0;
    if (!index || !access->at.mask || !access->at.self || access->agent >= SIM_ASYNC_PROXY) return;
    const extent *meant = &self->extents[index - 1];
    sim_space space = is_shared(meant->variable) ? SIM_SHARED : SIM_LOCAL;
    uint64_t begin;
    if (access->space != space ||
        !sim_inspect_variable(access->at.self, sim_inspect_frame(access->at.self), meant->variable, &begin))
        return;
    begin += meant->from - sim_inspect_window(space);
    uint64_t end = begin + meant->to - meant->from,
             all = space == SIM_SHARED ? self->shared_bytes : self->local_bytes;
    if (are_inside(access, begin, end)) return;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t at = access->addresses[lane];
        if (at >= begin && at + access->bytes <= end) continue;
        if (at + access->bytes > all || at > all) continue; // outside of everything: the machine faults
        report(self, access, lane, meant, begin);
        return;
    }
}

// ---- the whole ---------------------------------------------------------------------------------------------

static void close_extents(observe_detector *base) {
    detector *self = (detector *)base;
    free(self->extents);
    free(self->meant);
    free(self->held);
    free(self);
}

observe_detector *observe_extents_open(observe_findings *findings) {
    detector *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->detector = (observe_detector){
        .listener = {.launch_begin = on_launch_begin, .wants = on_wants, .access = on_access},
        .close = close_extents};
    return &self->detector;
}
