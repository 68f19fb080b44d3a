// A block: its warps in turn, its barriers, and the constants of its threads.

#include "sim/core.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SLICE = 4096,          // basic blocks a warp may execute before the next warp runs
    PATIENCE = 1024,       // turns of all warps before other blocks get theirs, whatever this one does,
    PATIENCE_WATCHED = 64, // and where a state that returns is looked for
    LONG = 1 << 19,        // instructions of a warp, after which it may be in a loop that nothing leaves
    SHARED_POISON = 0xff   // what shared memory holds before it is written: NaN in every float type
};

// ---- constants -----------------------------------------------------------------------------------------

static uint64_t lane_mask_special(ptx_special special, uint32_t lane) {
    uint32_t bit = UINT32_C(1) << lane;
    switch (special) {
    case PTX_SPECIAL_LANEMASK_EQ: return bit;
    case PTX_SPECIAL_LANEMASK_LT: return bit - 1;
    case PTX_SPECIAL_LANEMASK_LE: return bit | (bit - 1);
    case PTX_SPECIAL_LANEMASK_GT: return ~(bit | (bit - 1));
    default: return ~(bit - 1);
    }
}

// As an H200 answers; the reserved bytes begin at 0, and so do both of their parts.
static uint64_t shared_special(const sim_grid *g, ptx_special special) {
    enum { RESERVED_USED = 288 }; // what cooperative groups may count on
    int sm = g->program->machine->config.sm;
    uint64_t unit = sim_shared_unit(sm);
    switch (special) {
    case PTX_SPECIAL_TOTAL_SMEM_SIZE: return (g->own_shared_bytes + unit - 1) / unit * unit;
    case PTX_SPECIAL_AGGR_SMEM_SIZE: return g->own_shared_bytes + sim_shared_reserved(sm);
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END: return RESERVED_USED;
    default: return g->kernel->reserved_shared;
    }
}

static uint64_t special_value(const sim_warp *w, ptx_special special, uint32_t lane) {
    const sim_block *b = w->block;
    const sim_grid *g = b->grid;
    const uint32_t *size = g->launch->block, *count = g->launch->grid;
    uint32_t thread = w->index * SIM_LANES + lane;
    switch (special) {
    case PTX_SPECIAL_TID_X: return thread % size[0];
    case PTX_SPECIAL_TID_Y: return thread / size[0] % size[1];
    case PTX_SPECIAL_TID_Z: return thread / size[0] / size[1];
    case PTX_SPECIAL_NTID_X: return size[0];
    case PTX_SPECIAL_NTID_Y: return size[1];
    case PTX_SPECIAL_NTID_Z: return size[2];
    case PTX_SPECIAL_CTAID_X: return b->at[0];
    case PTX_SPECIAL_CTAID_Y: return b->at[1];
    case PTX_SPECIAL_CTAID_Z: return b->at[2];
    case PTX_SPECIAL_NCTAID_X: return count[0];
    case PTX_SPECIAL_NCTAID_Y: return count[1];
    case PTX_SPECIAL_NCTAID_Z: return count[2];
    case PTX_SPECIAL_LANEID: return lane;
    case PTX_SPECIAL_WARPID: return w->index;
    case PTX_SPECIAL_NWARPID: return g->program->machine->config.max_threads_per_multiprocessor / SIM_LANES;
    case PTX_SPECIAL_SMID: return b->index % (uint32_t)g->program->machine->config.multiprocessors;
    case PTX_SPECIAL_NSMID: return (uint32_t)g->program->machine->config.multiprocessors;
    case PTX_SPECIAL_LANEMASK_EQ:
    case PTX_SPECIAL_LANEMASK_LT:
    case PTX_SPECIAL_LANEMASK_LE:
    case PTX_SPECIAL_LANEMASK_GT:
    case PTX_SPECIAL_LANEMASK_GE: return lane_mask_special(special, lane);
    case PTX_SPECIAL_ENVREG1:
        return g->grid_workspace >> 32; // cooperative groups look for their barrier there
    case PTX_SPECIAL_ENVREG2: return g->grid_workspace & UINT32_MAX;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return g->launch->dynamic_shared_bytes;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    case PTX_SPECIAL_AGGR_SMEM_SIZE:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP: return shared_special(g, special);
    default: return sim_cluster_special(b, special);
    }
}

static bool differs_by_lane(ptx_special special) {
    switch (special) {
    case PTX_SPECIAL_TID_X:
    case PTX_SPECIAL_TID_Y:
    case PTX_SPECIAL_TID_Z:
    case PTX_SPECIAL_LANEID:
    case PTX_SPECIAL_LANEMASK_EQ:
    case PTX_SPECIAL_LANEMASK_LT:
    case PTX_SPECIAL_LANEMASK_LE:
    case PTX_SPECIAL_LANEMASK_GT:
    case PTX_SPECIAL_LANEMASK_GE: return true;
    default: return false;
    }
}

static uint64_t constant_value(const sim_warp *w, const sim_constant *c, uint32_t local, uint32_t lane) {
    const sim_grid *g = w->block->grid;
    switch (c->kind) {
    case SIM_CONSTANT_PARAM: {
        uint64_t value = 0;
        memcpy(&value, g->params + c->bits, c->bytes);
        unsigned shift = 64 - 8u * c->bytes;
        return c->is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
    }
    case SIM_CONSTANT_SPECIAL: return special_value(w, (ptx_special)c->bits, lane);
    case SIM_CONSTANT_LOCAL: return c->bits + local + SIM_LOCAL_FIRST;
    case SIM_CONSTANT_SHARED_DYNAMIC: return c->bits + g->dynamic_shared_at;
    default: return c->bits;
    }
}

static void fill_constant(const sim_warp *w, uint8_t *frame, const sim_constant *c, uint32_t local) {
    bool by_lane = c->kind == SIM_CONSTANT_SPECIAL && differs_by_lane((ptx_special)c->bits);
    uint64_t value = constant_value(w, c, local, 0);
    if (c->width == 1) {
        *(uint32_t *)(frame + c->at) = value & 1 ? SIM_ALL : 0;
        return;
    }
    if (c->width == 32 && !by_lane) { // the kind that is filled anew for every block
        uint32_t *to = (uint32_t *)(frame + c->at);
        for (uint32_t i = 0; i < SIM_LANES; i++) to[i] = (uint32_t)value;
        return;
    }
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        if (by_lane) value = constant_value(w, c, local, i);
        switch (c->width) {
        case 16: ((uint16_t *)(frame + c->at))[i] = (uint16_t)value; break;
        case 32: ((uint32_t *)(frame + c->at))[i] = (uint32_t)value; break;
        case 64: ((uint64_t *)(frame + c->at))[i] = value; break;
        default: // 128 bits: only small constants are written so
            ((uint64_t *)(frame + c->at))[2 * i] = value;
            ((uint64_t *)(frame + c->at))[2 * i + 1] = 0;
        }
    }
}

void sim_fill_constants(sim_warp *w, uint8_t *frame, const sim_code *code, uint32_t local, bool only_block) {
    if (only_block) {
        for (uint32_t i = 0; i < code->block_constant_count; i++)
            fill_constant(w, frame, &code->constants[code->block_constants[i]], local);
        return;
    }
    for (uint32_t i = 0; i < code->constant_count; i++) fill_constant(w, frame, &code->constants[i], local);
}

// ---- storage ---------------------------------------------------------------------------------------------

// Small storage stays with the machine for the next launch: many are short, and mapping pages that the kernel must
// clear first took a fifth of their time.
static uint8_t *take_kept(sim_machine *m, size_t *bytes) {
    uint8_t *storage = NULL;
    pthread_mutex_lock(&m->storage_lock);
    for (size_t i = 0; !storage && i < m->storage_count; i++) {
        if (m->storage[i].bytes < *bytes) continue;
        storage = m->storage[i].memory;
        *bytes = m->storage[i].bytes;
        m->storage[i] = m->storage[--m->storage_count];
    }
    pthread_mutex_unlock(&m->storage_lock);
    return storage;
}

// Zeroed, and of *bytes or more.
static uint8_t *take_storage(sim_machine *m, size_t *bytes) {
    size_t wanted = *bytes;
    uint8_t *kept = wanted <= SIM_KEPT_BYTES ? take_kept(m, bytes) : NULL;
    if (kept) return memset(kept, 0, wanted);
    void *fresh =
        mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return fresh == MAP_FAILED ? NULL : fresh;
}

static void give_storage(sim_machine *m, uint8_t *storage, size_t bytes) {
    bool keeps = false;
    pthread_mutex_lock(&m->storage_lock);
    if (bytes <= SIM_KEPT_BYTES && m->storage_count < BASE_COUNT(m->storage)) {
        m->storage[m->storage_count++] = (sim_storage){storage, bytes};
        keeps = true;
    }
    pthread_mutex_unlock(&m->storage_lock);
    if (!keeps) munmap(storage, bytes);
}

void sim_storage_close(sim_machine *m) {
    for (size_t i = 0; i < m->storage_count; i++) munmap(m->storage[i].memory, m->storage[i].bytes);
    pthread_mutex_destroy(&m->storage_lock);
}

// ---- opening, beginning ----------------------------------------------------------------------------------

sim_block *sim_block_open(sim_worker *worker) {
    sim_grid *g = worker->grid;
    const sim_kernel *k = g->kernel;
    sim_block *b = aligned_alloc(_Alignof(sim_block), sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->grid = g;
    b->worker = worker;
    b->warp_count = g->warps;
    b->threads = g->threads;
    size_t local = (size_t)k->local_room * SIM_LANES,
           warp_bytes = k->register_bytes + (local + 4095) / 4096 * 4096;
    size_t shared = (g->shared_bytes + 4095u + 64u) / 4096u * 4096u;
    b->storage_bytes = shared + warp_bytes * g->warps;
    b->storage = take_storage(g->program->machine, &b->storage_bytes);
    // Warps need the alignment of their lanes[].
    b->warps = b->storage ? aligned_alloc(128, (sizeof(sim_warp) * g->warps + 127) / 128 * 128) : NULL;
    if (!b->warps) {
        sim_block_close(b);
        return NULL;
    }
    memset(b->warps, 0, sizeof(sim_warp) * g->warps);
    b->shared = b->storage;
    for (uint32_t i = 0; i < g->warps; i++) {
        sim_warp *w = &b->warps[i];
        *w = (sim_warp){.block = b,
                        .index = i,
                        .extents = worker->extents,
                        .shared = b->shared,
                        .shared_bytes = g->shared_bytes};
        w->global = (uintptr_t)g->memory->host - (uintptr_t)SIM_GLOBAL_BASE;
        w->registers = b->storage + shared + warp_bytes * i;
        w->local = w->registers + k->register_bytes;
        w->frame_capacity = 4;
        w->frames = aligned_alloc(128, (w->frame_capacity * sizeof *w->frames + 127) / 128 * 128);
        if (!w->frames) {
            sim_block_close(b);
            return NULL;
        }
    }
    return b;
}

void sim_block_close(sim_block *b) {
    if (!b) return;
    for (uint32_t i = 0; b->warps && i < b->warp_count; i++) free(b->warps[i].frames);
    free(b->warps);
    sim_async_close(b->async);
    sim_cluster_close(b);
    base_text_free(&b->printed);
    if (b->storage) give_storage(b->grid->program->machine, b->storage, b->storage_bytes);
    free(b);
}

void sim_block_begin(sim_block *b, uint32_t index) {
    const sim_grid *g = b->grid;
    const sim_code *code = g->kernel->codes[0];
    b->index = index;
    b->at[0] = index % g->launch->grid[0];
    b->at[1] = index / g->launch->grid[0] % g->launch->grid[1];
    b->at[2] = index / g->launch->grid[0] / g->launch->grid[1];
    b->alive = b->threads;
    b->clock = b->waited = 0;
    b->free_registers = 0;
    b->sets_registers = false;
    b->moved = false;
    memset(b->barriers, 0, sizeof b->barriers);
    b->barriers_waited = 0;
    if (b->async) sim_async_reset(b->async);
    uint32_t reserved = g->kernel->reserved_shared;
    if (reserved) memset(b->shared, 0, reserved);
    if (g->own_shared_bytes) memset(b->shared + reserved, SHARED_POISON, g->own_shared_bytes);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        uint32_t lanes = b->threads - i * SIM_LANES;
        uint32_t mask = lanes >= SIM_LANES ? SIM_ALL : (UINT32_C(1) << lanes) - 1;
        w->exited = ~mask;
        w->register_count = 0;
        w->register_changes = 0;
        const sim_listener *heard = b->worker->listener;
        w->attention = b->worker->watch || (heard && heard->access);
        w->observed = heard && (heard->step || heard->done);
        w->ends_observed = heard && (heard->step || heard->branch);
        w->frames[0] = (sim_frame){.bytes = code->frame_bytes, .stack = code->stack_frame, .lanes = mask};
        w->frame_count = w->frames_filled = 1;
        w->frame = w->registers;
        w->path_count = 1;
        w->paths[0] = (sim_path){.mask = mask, .basic_block = code->entry_basic_block};
        w->fair = w->spun = false;
        w->turn = 0;
        w->cluster_arrived = w->cluster_phase = 0;
        if (g->kernel->stack_bytes)
            for (uint32_t l = 0; l < SIM_LANES; l++) w->stack_top[l] = g->kernel->local_room;
        sim_fill_constants(w, w->registers, code, 0, b->used);
    }
    b->used = true;
    sim_listener *listener = b->worker->listener;
    if (listener && listener->block_begin) listener->block_begin(listener, index, b->warp_count);
}

// ---- barriers ---------------------------------------------------------------------------------------

static uint32_t red_result(const sim_barrier *barrier, uint16_t how, uint32_t threads) {
    if (how == PTX_MOD_POPC) return barrier->yes;
    return how == PTX_MOD_AND ? barrier->yes == threads : barrier->yes != 0;
}

static void open_barrier(sim_block *b, uint32_t id) {
    sim_barrier done = b->barriers[id];
    b->barriers[id] = (sim_barrier){0};
    b->barriers_waited &= ~(UINT32_C(1) << id);
    b->moved = true;
    bool observed = b->worker->listener != NULL;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        for (uint32_t j = 0; j < w->path_count; j++) {
            sim_path *p = &w->paths[j];
            if (p->state != SIM_PATH_AT_BARRIER || p->barrier != id) continue;
            p->state = SIM_PATH_READY;
            const sim_op *op = p->barrier_op;
            if (__builtin_expect(observed, 0))
                sim_emit_sync(w, op->inst, p->mask, SIM_PASS, SIM_THREAD, sim_barrier_object(b, id), 0);
            if (op->d == SIM_NOWHERE) continue;
            uint8_t *frame = w->registers + w->frames[p->frame].at;
            uint16_t how = op->inst->by_category[PTX_CAT_BOOL];
            uint32_t value = red_result(&done, how, done.arrived);
            if (how == PTX_MOD_POPC) {
                for (uint32_t m = p->mask; m; m &= m - 1)
                    ((uint32_t *)(frame + op->d))[__builtin_ctz(m)] = value;
            } else {
                uint32_t *to = (uint32_t *)(frame + op->d);
                *to = (*to & ~p->mask) | (value ? p->mask : 0);
            }
        }
    }
}

// A count is of warps: one that has come brings those of its lanes that left without coming, or never were.
// Without a count all threads that have not left are waited for.
static void try_barrier(sim_block *b, uint32_t id) {
    const sim_barrier *barrier = &b->barriers[id];
    uint32_t arrived = barrier->arrived;
    if (!arrived) return;
    if (barrier->expected)
        for (uint32_t m = barrier->warps; m; m &= m - 1)
            arrived += sim_lane_count(b->warps[__builtin_ctz(m)].exited & ~b->came[id][__builtin_ctz(m)]);
    if (arrived >= (barrier->expected ? barrier->expected : b->alive)) open_barrier(b, id);
}

void sim_barrier_arrive(sim_block *b, sim_warp *w, sim_path *path, const sim_op *op) {
    uint32_t lane = (uint32_t)__builtin_ctz(path->mask);
    uint32_t id = SIM_REG(uint32_t, w, op->a)[lane];
    uint32_t expected = op->b == SIM_NOWHERE ? 0 : SIM_REG(uint32_t, w, op->b)[lane];
    uint32_t all = b->warp_count * SIM_LANES; // what no count means
    bool waits = ptx_op_get(op->inst->op)->end == PTX_END_BARRIER;
    if (id >= SIM_BARRIERS)
        sim_fault_here(w, op, lane, SIM_FAULT_BARRIER_OPERAND, "barrier %u does not exist: a block has %d",
                       id, SIM_BARRIERS);
    if (expected % SIM_LANES || expected > 1024)
        sim_fault_here(w, op, lane, SIM_FAULT_BARRIER_OPERAND,
                       "barrier %u for %u threads: the count must be a multiple of 32 up to 1024", id,
                       expected);
    sim_barrier *barrier = &b->barriers[id];
    uint32_t meant = expected ? expected : all, others = barrier->expected ? barrier->expected : all;
    if (barrier->arrived && meant != others)
        sim_fault_here(w, op, lane, SIM_FAULT_BARRIER,
                       "barrier %u for %u threads, where others wait at it for %u", id, meant, others);
    if (expected) barrier->expected = expected;
    b->barriers_waited |= UINT32_C(1) << id;
    barrier->arrived += sim_lane_count(path->mask);
    bool first = !(barrier->warps >> w->index & 1);
    b->came[id][w->index] = path->mask | (first ? 0 : b->came[id][w->index]);
    barrier->warps |= UINT32_C(1) << w->index;
    if (op->c != SIM_NOWHERE) {
        uint32_t yes = SIM_PRED(w, op->c);
        barrier->yes += (uint32_t)__builtin_popcount((op->aux8 ? ~yes : yes) & path->mask);
    }
    if (waits) {
        path->state = SIM_PATH_AT_BARRIER;
        path->barrier = id;
        path->barrier_op = op;
    }
    sim_emit_sync(w, op->inst, path->mask, SIM_ARRIVE, SIM_THREAD, sim_barrier_object(b, id), expected);
    try_barrier(b, id);
}

void sim_block_lanes_left(sim_block *b, uint32_t lanes) {
    b->alive -= lanes;
    b->moved = true;
    for (uint32_t waited = b->barriers_waited; waited; waited &= waited - 1)
        try_barrier(b, (uint32_t)__builtin_ctz(waited));
}

// ---- running ----------------------------------------------------------------------------------------

// Stops a launch with a thread in a loop that nothing leaves: whatever the others do, it never ends. Not at once, for what
// else is wrong with such a loop says more.
static void look_for_ways_out(const sim_block *b) {
    const sim_kernel *k = b->grid->kernel;
    if (b->clock / b->warp_count < LONG) return;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (uint32_t p = 0; p < b->warps[i].path_count; p++)
            if (k->basic_blocks[b->warps[i].paths[p].basic_block].has_no_way_out)
                sim_fault_no_way_out(b->worker, &b->warps[i].paths[p]);
}

bool sim_block_run(sim_block *b) {
    const sim_config *config = &b->grid->program->machine->config;
    unsigned patience = b->worker->random  ? 1 + sim_draw(b->worker, 4)
                        : b->worker->watch ? PATIENCE_WATCHED
                                           : PATIENCE;
    b->waits = false;
    for (unsigned turn = 0; turn < patience; turn++) {
        bool ran = false, waiting_loops = true, has_spun = false;
        b->moved = false;
        bool drawn = b->worker->random != 0;
        uint32_t first = drawn ? sim_draw(b->worker, b->warp_count) : 0;
        for (uint32_t i = 0; i < b->warp_count; i++) {
            sim_warp *w = &b->warps[drawn ? (first + i) % b->warp_count : i];
            if (w->path_count == 0) continue;
            uint64_t before = b->clock;
            b->worker->warp = w;
            uint32_t slice = SLICE;
            // A drawn schedule holds some warps back, and lets others run a few basic blocks or very many.
            if (drawn && sim_draw(b->worker, 4) == 0)
                slice = sim_draw(b->worker, 3) ? 1 + sim_draw(b->worker, 8) : 4 * SLICE;
            sim_warp_outcome outcome = sim_warp_run(w, slice);
            // A path that only arrives at a warp synchronisation executes nothing, and is no less under way.
            if (b->clock == before && outcome == SIM_WARP_WAITS) continue; // every path waits
            ran = true;
            has_spun |= w->spun;
            if (outcome != SIM_WARP_SLICE_OVER)
                b->moved = true;
            else if (!w->spun)
                waiting_loops = false;
        }
        // Before a block's end is taken, or a grid of short blocks could not be stopped.
        if (__builtin_expect(
                atomic_load_explicit(&b->grid->program->machine->interrupted, memory_order_relaxed), 0))
            sim_fault_interrupted(b->worker);
        if (b->alive == 0) return true;
        look_for_ways_out(b);
        if (!ran && !b->moved) {
            if (b->grid->cluster_size > 1) { // another block of the cluster may be what it waits for
                b->waits = true;
                return false;
            }
            if (!sim_async_hurry(b->worker))
                sim_fault_deadlock(b->worker, "every warp of a block waits", SIM_CAUSES_OF_WAITING);
        }
        if (config->max_instructions && b->clock / b->warp_count > config->max_instructions)
            sim_fault_here(b->worker->warp, NULL, 0, SIM_FAULT_LIMIT,
                           "a block executed more than %llu instructions per warp",
                           (unsigned long long)config->max_instructions);
        if (ran && !b->moved && waiting_loops) {
            b->waits = true;
            return false;
        }
        if (has_spun && b->grid->by_turns) return false;
    }
    return false;
}
