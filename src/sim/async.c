// What a block has under way: cp.async with its groups, and what mbarriers and bulk groups track.

#include "sim/tensor.h"

#include <stdlib.h>
#include <string.h>

// ---- the block's state -----------------------------------------------------------------------------------

static void clear_list(async_list *list) {
    while (list->first) {
        async_work *work = list->first;
        list->first = work->next;
        sim_async_free(work);
    }
    list->end = &list->first;
}

void sim_async_reset(sim_async *async) {
    clear_list(&async->tracked);
    async->mbarrier_count = 0;
    for (uint32_t i = 0; i < async->warp_count; i++) {
        async_warp *w = &async->warps[i];
        clear_list(&w->bulk);
        sim_wgmma_reset(w->wgmma);
        w->copy_count = 0;
        w->serial = 0;
        w->waits = 0;
        memset(w->groups, 0, sizeof w->groups);
        memset(w->bulk_groups, 0, sizeof w->bulk_groups);
    }
}

void sim_async_close(sim_async *async) {
    if (!async) return;
    sim_async_reset(async);
    for (uint32_t i = 0; i < async->warp_count; i++) {
        free(async->warps[i].copies);
        sim_wgmma_close(async->warps[i].wgmma);
    }
    free(async->mbarriers);
    free(async);
}

sim_async *sim_async_in(sim_warp *w, const sim_op *op, sim_block *block) {
    if (block->async) return block->async;
    sim_async *async = calloc(1, sizeof *async + block->warp_count * sizeof *async->warps);
    if (!async)
        sim_fault_here(w, op, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_NO_MEMORY,
                       "no memory left for asynchronous operations");
    async->warp_count = block->warp_count;
    block->async = async;
    sim_async_reset(async);
    return async;
}

sim_async *sim_async_of(sim_warp *w, const sim_op *op) { return sim_async_in(w, op, w->block); }
async_warp *sim_async_warp(sim_warp *w, const sim_op *op) { return &sim_async_of(w, op)->warps[w->index]; }

async_work *sim_async_work(sim_warp *w, const sim_op *op, unsigned lane) {
    async_work *work = calloc(1, sizeof *work);
    if (!work) sim_fault_here(w, op, lane, SIM_FAULT_NO_MEMORY, "no memory left for asynchronous operations");
    work->by = w;
    work->op = op;
    work->lane = (uint8_t)lane;
    work->byte_mask = UINT16_MAX;
    return work;
}

void sim_async_free(async_work *work) {
    free(work->kept);
    free(work->tensor);
    free(work);
}

void sim_async_add(async_list *list, async_work *work) {
    *list->end = work;
    list->end = &work->next;
}

bool sim_async_early(const sim_warp *w) {
    sim_worker *worker = w->block->worker;
    return worker->random && sim_draw(worker, 4) == 0;
}

void sim_async_emit(sim_warp *w, const ptx_inst *inst, uint32_t mask, sim_access_kind kind, sim_space space,
                    sim_agent agent, uint32_t bytes, const uint64_t *addresses) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access || !mask) return;
    sim_access access = {.at = sim_event_of(w, inst, mask),
                         .kind = kind,
                         .space = space,
                         .agent = agent,
                         .bytes = bytes,
                         .addresses = addresses};
    listener->access(listener, &access);
}

void sim_async_emit_one(sim_warp *w, const sim_op *op, unsigned lane, sim_access_kind kind,
                        const sim_block *owner, uint64_t at, uint32_t bytes, sim_access_part part) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->access) return;
    uint64_t addresses[SIM_LANES] = {0};
    sim_space space = !owner ? SIM_GLOBAL : owner == w->block ? SIM_SHARED : SIM_DISTRIBUTED;
    addresses[lane] = space == SIM_DISTRIBUTED ? (uint64_t)owner->index << 32 | at : at;
    sim_access access = {.at = sim_event_of(w, op->inst, UINT32_C(1) << lane),
                         .kind = kind,
                         .space = space,
                         .agent = SIM_ASYNC_PROXY,
                         .part = part,
                         .bytes = bytes,
                         .addresses = addresses};
    listener->access(listener, &access);
}

void sim_async_track(sim_warp *w, const sim_op *op, sim_block *owner, async_work *work) {
    sim_async *async = sim_async_in(w, op, owner);
    sim_emit_sync(w, op->inst, UINT32_C(1) << work->lane, SIM_TRACK, SIM_ASYNC_PROXY,
                  sim_mbarrier_object(owner, work->barrier), work->bytes);
    sim_async_add(&async->tracked, work);
    if (!sim_async_early(w)) return;
    sim_mbarrier *b = sim_mbarrier_at(owner, work->barrier);
    if (b) sim_async_settle(owner, b);
}

// ---- cp.async --------------------------------------------------------------------------------------------

// All of a lane's bytes at most: a size that the compiler knows takes one instruction.
static inline void copy_bytes(uint8_t *to, const uint8_t *from, unsigned bytes) {
    switch (bytes) {
    case 16: memcpy(to, from, 16); break;
    case 8: memcpy(to, from, 8); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, bytes);
    }
}

static void copy_lanes(sim_block *b, const async_copy *copy, uint32_t lanes) {
    for (uint32_t m = lanes & copy->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t *to = b->shared + copy->to[lane];
        copy_bytes(to, copy->from[lane], copy->source[lane]);
        if (copy->source[lane] < copy->bytes)
            memset(to + copy->source[lane], 0, copy->bytes - copy->source[lane]);
    }
    b->worker->changes++;
}

static void drop_done(async_warp *mine) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mine->copy_count; i++) {
        if (!mine->copies[i].mask) continue;
        if (kept != i) mine->copies[kept] = mine->copies[i];
        kept++;
    }
    mine->copy_count = kept;
}

// Completes the lanes' cp.asyncs that came before the warp's `before`-th.
void sim_async_finish_copies(sim_block *b, sim_warp *w, uint32_t lanes, uint64_t before) {
    async_warp *mine = &b->async->warps[w->index];
    for (uint32_t i = 0; i < mine->copy_count && mine->copies[i].serial < before; i++) {
        copy_lanes(b, &mine->copies[i], lanes);
        mine->copies[i].mask &= ~lanes;
    }
    drop_done(mine);
}

// All but the `leave` latest groups of the lanes; what is in no group yet stays under way.
static void finish_groups(sim_warp *w, async_warp *mine, uint32_t lanes, const uint32_t *leave) {
    for (uint32_t i = 0; i < mine->copy_count; i++) {
        async_copy *copy = &mine->copies[i];
        uint32_t due = 0;
        for (uint32_t m = lanes & copy->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            if ((uint64_t)copy->group[lane] + leave[lane] < mine->groups[lane]) due |= m & (0u - m);
        }
        if (!due) continue;
        copy_lanes(w->block, copy, due);
        copy->mask &= ~due;
    }
    drop_done(mine);
}

static async_copy *new_copy(sim_warp *w, const sim_op *op, async_warp *mine) {
    if (mine->copy_count == mine->copy_capacity) {
        uint32_t capacity = mine->copy_capacity ? mine->copy_capacity * 2 : 16;
        async_copy *grown = realloc(mine->copies, capacity * sizeof *grown);
        if (!grown)
            sim_fault_here(w, op, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_NO_MEMORY,
                           "no memory left for asynchronous copies");
        mine->copies = grown;
        mine->copy_capacity = capacity;
    }
    return &mine->copies[mine->copy_count];
}

static uint32_t source_bytes(sim_warp *w, const sim_op *op, const async_form *f, unsigned lane) {
    if (f->ignore != SIM_NOWHERE) {
        bool held = SIM_PRED(w, f->ignore) >> lane & 1;
        if (held != f->ignore_negated) return 0;
    }
    if (f->source_size == SIM_NOWHERE) return f->cp_bytes;
    uint32_t bytes = SIM_REG(uint32_t, w, f->source_size)[lane];
    if (bytes > f->cp_bytes)
        sim_fault_here(w, op, lane, SIM_FAULT_COPY_SIZE,
                       "cp.async of %u bytes is told to read %u: at most as many as it "
                       "copies",
                       f->cp_bytes, bytes);
    return bytes;
}

// Where the lane reads; a copy that reads nothing may have any address.
static const uint8_t *source_pointer(sim_warp *w, const sim_op *op, uint64_t address, unsigned lane,
                                     uint32_t bytes, uint32_t align) {
    if (!bytes) return NULL;
    const sim_extent *e = &w->extents[op->c];
    bool hit = bytes <= e->bytes && address - e->low <= e->bytes - bytes;
    if (!hit && !sim_extent_find(w, op, address, bytes, false))
        sim_fault_access(w, op, lane, address, bytes, SIM_GLOBAL, NULL);
    if (address & (align - 1)) sim_fault_access(w, op, lane, address, align, SIM_GLOBAL, "is misaligned");
    return (const uint8_t *)(w->global + address);
}

static void emit_copy(sim_warp *w, const sim_op *op, const async_copy *copy, const uint64_t *from) {
    uint64_t to[SIM_LANES];
    uint32_t left = 0;
    for (uint32_t m = copy->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        to[lane] = copy->to[lane];
        if (copy->source[lane]) left |= m & (0u - m);
    }
    while (left) { // lanes that read equally much
        uint32_t bytes = copy->source[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (copy->source[__builtin_ctz(m)] == bytes) same |= m & (0u - m);
        sim_async_emit(w, op->inst, same, SIM_LOAD, SIM_GLOBAL, SIM_ASYNC_COPY, bytes, from);
        left &= ~same;
    }
    sim_async_emit(w, op->inst, copy->mask, SIM_STORE, SIM_SHARED, SIM_ASYNC_COPY, copy->bytes, to);
}

void sim_cp_async(sim_warp *w, const sim_op *op) {
    const async_form *f = (const async_form *)(uintptr_t)op->aux;
    async_warp *mine = sim_async_warp(w, op);
    async_copy *copy = new_copy(w, op, mine);
    uint64_t from[SIM_LANES];
    copy->mask = w->mask;
    copy->bytes = f->cp_bytes;
    copy->serial = mine->serial++;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t bytes = source_bytes(w, op, f, lane);
        sim_block *owner;
        sim_shared_pointer(w, op, lane, &f->to, f->cp_bytes, f->cp_bytes, &owner, &copy->to[lane]);
        from[lane] = async_address(w, &f->from, lane);
        copy->from[lane] = source_pointer(w, op, from[lane], lane, bytes, f->cp_bytes);
        if (!bytes) copy->from[lane] = w->shared; // never read
        copy->source[lane] = (uint8_t)bytes;
        copy->group[lane] = mine->groups[lane];
    }
    if (w->attention) emit_copy(w, op, copy, from);
    if (sim_async_early(w))
        copy_lanes(w->block, copy, copy->mask);
    else
        mine->copy_count++;
}

void sim_cp_async_commit(sim_warp *w, const sim_op *op) {
    async_warp *mine = sim_async_warp(w, op);
    for (uint32_t m = w->mask; m; m &= m - 1) mine->groups[__builtin_ctz(m)]++;
    sim_emit_sync(w, op->inst, w->mask, SIM_COMMIT, SIM_ASYNC_COPY, 0, 0);
    if (sim_async_early(w)) sim_async_finish_copies(w->block, w, w->mask, UINT64_MAX);
}

void sim_cp_async_wait_group(sim_warp *w, const sim_op *op) {
    async_warp *mine = sim_async_warp(w, op);
    const uint32_t *leave = SIM_REG(uint32_t, w, op->a);
    if (mine->copy_count) finish_groups(w, mine, w->mask, leave);
    sim_emit_sync(w, op->inst, w->mask, SIM_WAIT, SIM_ASYNC_COPY, 0, leave[__builtin_ctz(w->mask)]);
}

// As commit_group and wait_group 0.
void sim_cp_async_wait_all(sim_warp *w, const sim_op *op) {
    sim_async *async = sim_async_of(w, op);
    async_warp *mine = &async->warps[w->index];
    for (uint32_t m = w->mask; m; m &= m - 1) mine->groups[__builtin_ctz(m)]++;
    if (mine->copy_count) sim_async_finish_copies(w->block, w, w->mask, UINT64_MAX);
    sim_emit_sync(w, op->inst, w->mask, SIM_WAIT, SIM_ASYNC_COPY, 0, UINT32_MAX);
}

void sim_cp_async_arrive(sim_warp *w, const sim_op *op) {
    const async_form *f = (const async_form *)(uintptr_t)op->aux;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        sim_block *owner;
        sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &owner);
        if (!(op->inst->flags & PTX_FLAG(NOINC))) sim_mbarrier_add_pending(w, op, lane, owner, b);
        async_work *work = sim_async_work(w, op, lane);
        work->kind = ASYNC_ARRIVE;
        work->serial = sim_async_warp(w, op)->serial;
        work->barrier = b->offset;
        sim_async_add(&sim_async_in(w, op, owner)->tracked, work);
        sim_emit_sync(w, op->inst, UINT32_C(1) << lane, SIM_TRACK, SIM_ASYNC_COPY,
                      sim_mbarrier_object(owner, b->offset), 0);
    }
}

// ---- completing -------------------------------------------------------------------------------------

static void reduce_elements(const async_work *work, const uint8_t *from) {
    const memory_form *f = work->reduce;
    bool alone = work->to_shared || work->by->block->grid->workers == 1;
    for (uint32_t i = 0; i + f->bytes <= work->bytes; i += f->bytes)
        sim_atomic_apply(f, work->to + i, from + i, alone, work->to_shared);
}

void sim_async_perform(async_work *work) {
    const uint8_t *from = work->kind == ASYNC_DATA ? work->data : work->has_read ? work->kept : work->from;
    work->by->block->worker->changes++;
    if (work->kind == ASYNC_ARRIVE)
        sim_async_finish_copies(work->by->block, work->by, UINT32_C(1) << work->lane, work->serial);
    else if (work->kind == ASYNC_TENSOR)
        sim_tensor_perform(work);
    else if (work->reduce)
        reduce_elements(work, from);
    else if (work->byte_mask == UINT16_MAX)
        memmove(work->to, from, work->bytes);
    else
        for (uint32_t i = 0; i < work->bytes; i++)
            if (work->byte_mask >> (i & 15) & 1) work->to[i] = from[i];
}

// Performs one operation and tells its mbarrier. The work is no longer in any list.
static void complete_tracked(sim_block *owner, async_work *work) {
    async_work now = *work;
    sim_async_perform(work);
    sim_async_free(work);
    sim_mbarrier *b = sim_mbarrier_at(owner, now.barrier);
    if (!b || !b->live) return; // its life ended with bytes under way: nobody can wait for them any more
    if (now.kind == ASYNC_ARRIVE)
        sim_mbarrier_arrive_one(now.by, now.op, now.lane, owner, b);
    else
        sim_mbarrier_complete_tx(now.by, now.op, now.lane, owner, b, now.bytes);
}

static async_work *take_tracked(async_list *list, uint32_t barrier, bool any) {
    for (async_work **at = &list->first; *at; at = &(*at)->next) {
        async_work *work = *at;
        if (!any && work->barrier != barrier) continue;
        *at = work->next;
        if (!work->next) list->end = at;
        return work;
    }
    return NULL;
}

void sim_async_settle(sim_block *owner, sim_mbarrier *mbarrier) {
    uint64_t phase = mbarrier->phase;
    uint32_t offset = mbarrier->offset;
    async_work *work;
    while (mbarrier->phase == phase && (work = take_tracked(&owner->async->tracked, offset, false)))
        complete_tracked(owner, work);
}

// A block has ended: what it wrote to global memory arrives, what others or it itself copy to its shared memory does not.
void sim_async_finish_block(sim_block *b) {
    sim_mbarriers_ended(b);
    for (uint32_t i = 0; i < b->async->warp_count; i++)
        sim_bulk_finish(&b->async->warps[i], SIM_ALL, 0, false);
}

bool sim_async_hurry(sim_worker *worker) {
    bool any = false;
    for (uint32_t i = 0; i < worker->resident_count; i++) {
        sim_block *b = worker->resident[i];
        async_work *work;
        if (!b->async) continue;
        while ((work = take_tracked(&b->async->tracked, 0, true))) {
            complete_tracked(b, work);
            any = true;
        }
        for (uint32_t j = 0; j < b->async->warp_count; j++) {
            async_warp *mine = &b->async->warps[j];
            any = any || mine->copy_count || mine->bulk.first;
            sim_bulk_finish(mine, SIM_ALL, 0, false);
            if (mine->copy_count) sim_async_finish_copies(b, &b->warps[j], SIM_ALL, UINT64_MAX);
        }
    }
    return any;
}
