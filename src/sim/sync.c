// Exchanges among the lanes of a warp: shfl, vote, match, redux, elect. Matrix instructions come through here too (mma.h).
//
// The lanes may come from different instructions, each with operands of its own: so inputs
// are gathered lane by lane, the operation is done once, and results go back lane by lane.

#include "sim/core.h"
#include "sim/wgmma.h"

#include <string.h>

typedef struct exchange {
    uint32_t mask; // lanes that take part
    uint32_t yes;  // vote: those of them whose predicate holds
    uint64_t a[SIM_LANES];
    uint32_t b[SIM_LANES], c[SIM_LANES];
    uint32_t d[SIM_LANES];
    uint32_t p; // second result: a predicate
} exchange;

static uint8_t *frame_of(const sim_warp *w, const sim_path *path) {
    return w->registers + w->frames[path->frame].at;
}

// The source operands of the path's lanes.
#define TAKE(T, to, at)                                                                                      \
    {                                                                                                        \
        const T *from = (const T *)(frame + (at));                                                           \
        if (path->mask == SIM_ALL)                                                                           \
            for (int i = 0; i < SIM_LANES; i++) (to)[i] = from[i];                                           \
        else                                                                                                 \
            for (uint32_t m = path->mask; m; m &= m - 1) (to)[__builtin_ctz(m)] = from[__builtin_ctz(m)];    \
    }
static void gather(const sim_warp *w, const sim_path *path, const sim_op *op, exchange *x) {
    const uint8_t *frame = frame_of(w, path);
    x->mask |= path->mask;
    if (op->inst->op == PTX_OP_VOTE) {
        x->yes |= (*(const uint32_t *)(frame + op->a) ^ (0u - op->aux8)) & path->mask;
        return;
    }
    bool wide = op->inst->op == PTX_OP_MATCH && ptx_type_bits(op->inst->types[0]) == 64;
    if (wide)
        TAKE(uint64_t, x->a, op->a)
    else if (op->a != SIM_NOWHERE)
        TAKE(uint32_t, x->a, op->a)
    if (op->b != SIM_NOWHERE) TAKE(uint32_t, x->b, op->b)
    if (op->c != SIM_NOWHERE) TAKE(uint32_t, x->c, op->c)
}
#undef TAKE

static void scatter(const sim_warp *w, const sim_path *path, const sim_op *op, const exchange *x) {
    uint8_t *frame = frame_of(w, path);
    const ptx_operand *to = &op->inst->operands[0];
    bool predicate = op->inst->op == PTX_OP_VOTE && op->inst->by_category[PTX_CAT_MODE] != PTX_MOD_BALLOT;
    if (op->d != SIM_NOWHERE && predicate) {
        uint32_t *d = (uint32_t *)(frame + op->d);
        *d = (*d & ~path->mask) | (x->d[0] ? path->mask : 0); // a vote's result is the same for all
    } else if (op->d != SIM_NOWHERE && to->kind == PTX_OPERAND_REG) {
        uint32_t *d = (uint32_t *)(frame + op->d);
        if (path->mask == SIM_ALL)
            memcpy(d, x->d, sizeof x->d);
        else
            for (uint32_t m = path->mask; m; m &= m - 1) d[__builtin_ctz(m)] = x->d[__builtin_ctz(m)];
    }
    if (op->aux != SIM_NOWHERE) {
        uint32_t *p = (uint32_t *)(frame + op->aux);
        *p = (*p & ~path->mask) | (x->p & path->mask);
    }
}

// The lane that `lane` reads: its own where the source lies outside the segment.
static uint32_t shuffle_source(uint16_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
    uint32_t clamp = c & 31, segment = c >> 8 & 31, lowest = lane & segment;
    uint32_t highest = lowest | (clamp & ~segment), from;
    b &= 31;
    switch (mode) {
    case PTX_MOD_UP:
        from = lane - b;
        *inside = (int32_t)from >= (int32_t)highest;
        break;
    case PTX_MOD_DOWN:
        from = lane + b;
        *inside = from <= highest;
        break;
    case PTX_MOD_BFLY:
        from = lane ^ b;
        *inside = from <= highest;
        break;
    default: from = lowest | (b & ~segment); *inside = from <= highest;
    }
    return *inside ? from & 31 : lane;
}

static void shuffle(const sim_op *op, exchange *x) {
    uint16_t mode = op->inst->by_category[PTX_CAT_MODE];
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bool inside;
        uint32_t from = shuffle_source(mode, lane, x->b[lane], x->c[lane], &inside);
        x->d[lane] = (uint32_t)x->a[from];
        if (inside) x->p |= UINT32_C(1) << lane;
    }
}

// A whole warp at one instruction, which is how warps usually shuffle: from registers to registers.
static void shuffle_warp(const sim_warp *w, const sim_path *path, const sim_op *op) {
    uint8_t *frame = frame_of(w, path);
    const uint32_t *a = (const uint32_t *)(frame + op->a), *b = (const uint32_t *)(frame + op->b),
                   *c = (const uint32_t *)(frame + op->c);
    uint32_t from[SIM_LANES], value[SIM_LANES], inside[SIM_LANES], predicate = 0;
    uint16_t mode = op->inst->by_category[PTX_CAT_MODE];
#define SHUFFLE(source, condition)                                                                           \
    for (uint32_t i = 0; i < SIM_LANES; i++) {                                                               \
        uint32_t by = b[i] & 31, segment = c[i] >> 8 & 31;                                                   \
        uint32_t lowest = i & segment, highest = lowest | (c[i] & 31 & ~segment), at = (source);             \
        inside[i] = (condition);                                                                             \
        from[i] = inside[i] ? at & 31 : i;                                                                   \
    }
    switch (mode) {
    case PTX_MOD_UP: SHUFFLE(i - by, (int32_t)at >= (int32_t)highest) break;
    case PTX_MOD_DOWN: SHUFFLE(i + by, at <= highest) break;
    case PTX_MOD_BFLY: SHUFFLE(i ^ by, at <= highest) break;
    default: SHUFFLE(lowest | (by & ~segment), at <= highest) break;
    }
#undef SHUFFLE
    for (uint32_t i = 0; i < SIM_LANES; i++) value[i] = a[from[i]];
    if (op->d != SIM_NOWHERE && op->inst->operands[0].kind == PTX_OPERAND_REG)
        memcpy(frame + op->d, value, sizeof value);
    if (op->aux == SIM_NOWHERE) return;
    for (uint32_t i = 0; i < SIM_LANES; i++) predicate |= inside[i] << i;
    memcpy(frame + op->aux, &predicate, sizeof predicate);
}

static void vote(const sim_op *op, exchange *x) {
    uint32_t result;
    if (op->inst->by_category[PTX_CAT_MODE] == PTX_MOD_BALLOT)
        result = x->yes;
    else if (op->inst->by_category[PTX_CAT_MODE] == PTX_MOD_ALL)
        result = x->yes == x->mask;
    else if (op->inst->by_category[PTX_CAT_MODE] == PTX_MOD_ANY)
        result = x->yes != 0;
    else
        result = x->yes == x->mask || x->yes == 0; // .uni
    for (int i = 0; i < SIM_LANES; i++) x->d[i] = result;
}

// Each value once, by the lowest lane that has it.
static void match(const sim_op *op, exchange *x) {
    for (uint32_t left = x->mask, equal; left; left &= ~equal) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        equal = 0;
        for (uint32_t i = lane; i < SIM_LANES; i++) equal |= (uint32_t)(x->a[i] == x->a[lane]) << i;
        equal &= x->mask;
        for (uint32_t m = equal; m; m &= m - 1) x->d[__builtin_ctz(m)] = equal;
    }
    if (op->inst->by_category[PTX_CAT_MODE] != PTX_MOD_ALL) return;
    bool all = x->mask && x->d[__builtin_ctz(x->mask)] == x->mask;
    for (int i = 0; i < SIM_LANES; i++) x->d[i] = all ? x->mask : 0;
    x->p = all ? SIM_ALL : 0;
}

static void reduce(const sim_op *op, exchange *x) {
    bool is_signed = ptx_type_class(op->inst->types[0]) == 's';
    uint16_t how = op->inst->by_category[PTX_CAT_ATOMIC] ? op->inst->by_category[PTX_CAT_ATOMIC]
                                                         : op->inst->by_category[PTX_CAT_BOOL];
    uint32_t result = (uint32_t)x->a[__builtin_ctz(x->mask)];
    for (uint32_t m = x->mask & (x->mask - 1); m; m &= m - 1) {
        uint32_t v = (uint32_t)x->a[__builtin_ctz(m)];
        bool less = is_signed ? (int32_t)v < (int32_t)result : v < result;
        switch (how) {
        case PTX_MOD_ADD: result += v; break;
        case PTX_MOD_MIN: result = less ? v : result; break;
        case PTX_MOD_MAX: result = less ? result : v; break;
        case PTX_MOD_AND: result &= v; break;
        case PTX_MOD_OR: result |= v; break;
        default: result ^= v;
        }
    }
    for (int i = 0; i < SIM_LANES; i++) x->d[i] = result;
}

// ---- for listeners --------------------------------------------------------------------------------------

// The lane that each lane of the path reads, and those whose source takes no part.
static void shuffle_sources(const sim_warp *w, const sim_path *path, const sim_op *op,
                            sim_exchange_event *event) {
    const uint8_t *frame = frame_of(w, path);
    uint16_t mode = op->inst->by_category[PTX_CAT_MODE];
    for (uint32_t m = path->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint32_t b = ((const uint32_t *)(frame + op->b))[lane], c = ((const uint32_t *)(frame + op->c))[lane];
        bool inside;
        uint32_t from = shuffle_source(mode, lane, b, c, &inside);
        event->from[lane] = (uint8_t)from;
        if (inside && !(event->all >> from & 1)) event->outside |= UINT32_C(1) << lane;
    }
}

static void emit_exchange(sim_warp *w, sim_path *const *paths, uint32_t count) {
    sim_listener *listener = w->block->worker->listener;
    const sim_basic_block *basic_blocks = w->block->grid->kernel->basic_blocks;
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) all |= paths[i]->mask;
    for (uint32_t i = 0; i < count; i++) {
        const sim_op *op = basic_blocks[paths[i]->basic_block].last;
        sim_exchange_event event = {
            .at = sim_event_of(w, op->inst, paths[i]->mask), .all = all, .named = paths[i]->sync_mask};
        event.is_shuffle = op->inst->op == PTX_OP_SHFL;
        if (event.is_shuffle) shuffle_sources(w, paths[i], op, &event);
        listener->exchange(listener, &event);
    }
}

// The lowest lane leads.
static void elect(const sim_op *op, exchange *x) {
    for (int i = 0; i < SIM_LANES; i++) x->d[i] = (uint32_t)__builtin_ctz(x->mask);
    x->p = x->mask & (0u - x->mask);
}

static void only_meet(const sim_op *op, exchange *x) {}

static void (*const exchanges[PTX_OP_COUNT])(const sim_op *op, exchange *x) = {
    [PTX_OP_SHFL] = shuffle, [PTX_OP_VOTE] = vote,   [PTX_OP_MATCH] = match,
    [PTX_OP_REDUX] = reduce, [PTX_OP_ELECT] = elect, [PTX_OP_BAR_WARP] = only_meet,
};

bool sim_can_exchange(ptx_op op) { return exchanges[op] != NULL; }

// Matrix instructions are .aligned: the whole warp is at one and the same.
static void exchange_matrix(sim_warp *w, sim_path *const *paths, uint32_t count, const sim_op *op) {
    const sim_basic_block *basic_blocks = w->block->grid->kernel->basic_blocks;
    uint32_t all = 0, lane = (uint32_t)__builtin_ctz(paths[0]->mask);
    for (uint32_t i = 0; i < count; i++) {
        all |= paths[i]->mask;
        if (basic_blocks[paths[i]->basic_block].last != op || paths[i]->frame != paths[0]->frame)
            sim_fault_here(w, op, lane, SIM_FAULT_ALIGNED,
                           "threads of the warp are at different matrix instructions");
    }
    if (all != SIM_ALL)
        sim_fault_here(w, op, lane, SIM_FAULT_ALIGNED,
                       "%s with %u of 32 threads: the others have returned, or the block has fewer",
                       ptx_op_root(op->inst->op), sim_lane_count(all));
    w->frame = frame_of(w, paths[0]);
    w->mask = SIM_ALL;
    op->full(w, op);
}

bool sim_exchange_waits(const sim_warp *w, const sim_path *path) {
    const sim_op *op = w->block->grid->kernel->basic_blocks[path->basic_block].last;
    return op->inst->op == PTX_OP_WGMMA_WAIT_GROUP && !sim_wgmma_can_pass(w, op);
}

void sim_exchange(sim_warp *w, sim_path *const *paths, uint32_t count) {
    const sim_basic_block *basic_blocks = w->block->grid->kernel->basic_blocks;
    const sim_op *first = basic_blocks[paths[0]->basic_block].last;
    if (first->inst->op == PTX_OP_BAR_WARP) return;
    const sim_listener *listener = w->block->worker->listener;
    if (__builtin_expect(listener && listener->exchange, 0)) emit_exchange(w, paths, count);
    if (first->full) {
        exchange_matrix(w, paths, count, first);
        return;
    }
    if (first->inst->op == PTX_OP_SHFL && count == 1 && paths[0]->mask == SIM_ALL) {
        shuffle_warp(w, paths[0], first);
        return;
    }
    exchange x;
    x.mask = x.yes = x.p = 0;
    if (paths[0]->mask != SIM_ALL)
        memset(x.a, 0, sizeof x.a); // what a shuffle reads of a lane that takes no part
    for (uint32_t i = 0; i < count; i++) {
        const sim_op *op = basic_blocks[paths[i]->basic_block].last;
        if (op->inst->op != first->inst->op)
            sim_fault_here(
                w, op, (uint32_t)__builtin_ctz(paths[i]->mask), SIM_FAULT_MEMBERS_APART,
                "threads of one member mask 0x%08x synchronise at different operations (%s and %s)",
                paths[i]->sync_mask, ptx_op_root(op->inst->op), ptx_op_root(first->inst->op));
        gather(w, paths[i], op, &x);
    }
    exchanges[first->inst->op](first, &x);
    for (uint32_t i = 0; i < count; i++) scatter(w, paths[i], basic_blocks[paths[i]->basic_block].last, &x);
}
