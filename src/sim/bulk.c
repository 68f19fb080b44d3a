// Bulk copies and reductions (cp.async.bulk, cp.reduce.async.bulk), st.async, red.async, st.bulk.
//
// Each is done by the asynchronous proxy, lane by lane. Towards shared memory an mbarrier of the block it
// goes to counts the bytes; towards global memory they belong to the thread's bulk groups.

#include "sim/tensor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BULK_ALIGN = 16 };

static const async_form *form_of(const sim_op *op) { return (const async_form *)(uintptr_t)op->aux; }

static void check_size(sim_warp *w, const sim_op *op, unsigned lane, uint32_t bytes) {
    if (bytes % BULK_ALIGN)
        sim_fault_here(w, op, lane, SIM_FAULT_COPY_SIZE,
                       "a bulk copy of %u bytes: the size must be a multiple of 16", bytes);
}

static uint8_t *global_pointer(sim_warp *w, const sim_op *op, unsigned lane,
                               const async_address_operand *operand, uint32_t bytes, bool write) {
    uint64_t address = async_address(w, operand, lane);
    if (bytes == 0) return (uint8_t *)(w->global + SIM_GLOBAL_BASE);
    const sim_allocation *a = sim_memory_find(w->block->grid->memory, address, bytes);
    if (!a || (write && a->constant))
        sim_fault_access(w, op, lane, address, bytes, SIM_GLOBAL, a ? "writes constant memory" : NULL);
    if (address % BULK_ALIGN) sim_fault_access(w, op, lane, address, BULK_ALIGN, SIM_GLOBAL, "is misaligned");
    return (uint8_t *)(w->global + address);
}

static void emit_one(sim_warp *w, const sim_op *op, unsigned lane, sim_access_kind kind,
                     const sim_block *owner, uint64_t at, uint32_t bytes) {
    sim_async_emit_one(w, op, lane, kind, owner, at, bytes, SIM_PART_FIRST);
}

// ---- towards shared memory -----------------------------------------------------------------------------

// One block's part of a copy: `barrier` and the bytes at `to` lie in it.
static void begin_shared(sim_warp *w, const sim_op *op, unsigned lane, const uint8_t *from, uint8_t *to,
                         sim_block *to_block, uint32_t to_offset, sim_block *barrier_block, uint32_t barrier,
                         uint32_t bytes) {
    const async_form *f = form_of(op);
    bool reduces = op->inst->op == PTX_OP_CP_REDUCE_ASYNC_BULK;
    async_work *work = sim_async_work(w, op, lane);
    work->kind = ASYNC_BULK;
    work->from = from;
    work->to = to;
    work->to_shared = true;
    work->bytes = bytes;
    work->reduce = reduces ? &f->data : NULL;
    work->barrier = barrier;
    if (w->attention) emit_one(w, op, lane, reduces ? SIM_ATOMIC : SIM_STORE, to_block, to_offset, bytes);
    sim_async_track(w, op, barrier_block, work);
}

static void multicast(sim_warp *w, const sim_op *op, unsigned lane, const uint8_t *from, uint32_t to_offset,
                      uint32_t barrier, uint32_t bytes) {
    const async_form *f = form_of(op);
    sim_block *b = w->block;
    uint32_t ranks = SIM_REG(uint16_t, w, f->mask)[lane];
    if (ranks >> b->grid->cluster_size)
        sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_RANK,
                       "multicast to the blocks 0x%x of the cluster, which has only %u", ranks,
                       b->grid->cluster_size);
    for (; ranks; ranks &= ranks - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(ranks);
        sim_block *other = rank == b->rank ? b : b->cluster->blocks[rank];
        sim_mbarrier *object = other && other->alive ? sim_mbarrier_at(other, barrier) : NULL;
        if (!object || !object->live)
            sim_fault_here(
                w, op, lane, SIM_FAULT_MBARRIER_MISSING,
                "multicast to block rank %u, which has no initialised mbarrier at shared offset "
                "0x%x\nlikely cause: no cluster barrier between mbarrier.init and the copy, or the "
                "block has ended",
                rank, barrier);
        begin_shared(w, op, lane, from, other->shared + to_offset, other, to_offset, other, barrier, bytes);
    }
}

static void copy_to_shared(sim_warp *w, const sim_op *op, unsigned lane, uint32_t bytes) {
    const async_form *f = form_of(op);
    sim_block *to_block, *from_block = NULL, *barrier_block;
    uint32_t to_offset, from_offset;
    uint8_t *to = sim_shared_pointer(w, op, lane, &f->to, bytes, BULK_ALIGN, &to_block, &to_offset);
    const uint8_t *from =
        f->from.space == PTX_MOD_GLOBAL
            ? global_pointer(w, op, lane, &f->from, bytes, false)
            : sim_shared_pointer(w, op, lane, &f->from, bytes, BULK_ALIGN, &from_block, &from_offset);
    sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &barrier_block);
    if (w->attention)
        emit_one(w, op, lane, SIM_LOAD, from_block,
                 from_block ? from_offset : async_address(w, &f->from, lane), bytes);
    if (f->multicast)
        multicast(w, op, lane, from, to_offset, b->offset, bytes);
    else
        begin_shared(w, op, lane, from, to, to_block, to_offset, barrier_block, b->offset, bytes);
}

// ---- towards global memory -----------------------------------------------------------------------------

static void copy_to_global(sim_warp *w, const sim_op *op, unsigned lane, uint32_t bytes) {
    const async_form *f = form_of(op);
    bool reduces = op->inst->op == PTX_OP_CP_REDUCE_ASYNC_BULK;
    sim_block *from_block;
    uint32_t from_offset;
    async_warp *mine = sim_async_warp(w, op);
    const uint8_t *from =
        sim_shared_pointer(w, op, lane, &f->from, bytes, BULK_ALIGN, &from_block, &from_offset);
    uint8_t *to = global_pointer(w, op, lane, &f->to, bytes, true);
    if (w->attention) {
        emit_one(w, op, lane, SIM_LOAD, from_block, from_offset, bytes);
        emit_one(w, op, lane, reduces ? SIM_ATOMIC : SIM_STORE, NULL, async_address(w, &f->to, lane), bytes);
    }
    async_work *work = sim_async_work(w, op, lane);
    work->kind = ASYNC_BULK;
    work->from = from;
    work->to = to;
    work->bytes = bytes;
    work->reduce = reduces ? &f->data : NULL;
    work->group = mine->bulk_groups[lane];
    if (f->masked_bytes) work->byte_mask = SIM_REG(uint16_t, w, f->mask)[lane];
    if (sim_async_early(w)) {
        sim_async_perform(work);
        sim_async_free(work);
    } else
        sim_async_add(&mine->bulk, work);
}

void sim_bulk_copy(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t bytes = SIM_REG(uint32_t, w, f->size)[lane];
        check_size(w, op, lane, bytes);
        if (f->to.space == PTX_MOD_GLOBAL)
            copy_to_global(w, op, lane, bytes);
        else
            copy_to_shared(w, op, lane, bytes);
    }
}

void sim_bulk_commit(sim_warp *w, const sim_op *op) {
    async_warp *mine = sim_async_warp(w, op);
    for (uint32_t m = w->mask; m; m &= m - 1) mine->bulk_groups[__builtin_ctz(m)]++;
    sim_emit_sync(w, op->inst, w->mask, SIM_COMMIT, SIM_ASYNC_PROXY, 0, 0);
}

static void read_source(async_work *work) {
    if (work->has_read || !work->bytes) return;
    work->kept = malloc(work->bytes);
    if (!work->kept)
        sim_fault_here(work->by, work->op, work->lane, SIM_FAULT_NO_MEMORY, "no memory left for a bulk copy");
    if (work->kind == ASYNC_TENSOR)
        sim_tensor_read(work);
    else
        memcpy(work->kept, work->from, work->bytes);
    work->has_read = true;
}

// All but the `leave` latest groups; UINT32_MAX lanes and leave 0 at the end of a block: those in no group
// too.
void sim_bulk_finish(async_warp *mine, uint32_t lanes, uint32_t leave, bool only_read) {
    bool at_end = lanes == SIM_ALL && leave == 0 && !only_read;
    for (async_work **at = &mine->bulk.first; *at;) {
        async_work *work = *at;
        bool due = (lanes >> work->lane & 1) &&
                   (at_end || (uint64_t)work->group + leave < mine->bulk_groups[work->lane]);
        if (due && !only_read) {
            *at = work->next;
            sim_async_perform(work);
            sim_async_free(work);
            continue;
        }
        if (due) read_source(work);
        at = &work->next;
    }
    mine->bulk.end = &mine->bulk.first;
    while (*mine->bulk.end) mine->bulk.end = &(*mine->bulk.end)->next;
}

void sim_bulk_wait(sim_warp *w, const sim_op *op) {
    async_warp *mine = sim_async_warp(w, op);
    bool only_read = op->inst->flags & PTX_FLAG(READ);
    uint32_t leave = SIM_REG(uint32_t, w, op->a)[__builtin_ctz(w->mask)];
    for (uint32_t m = w->mask; m && mine->bulk.first; m &= m - 1)
        sim_bulk_finish(mine, m & (0u - m), leave, only_read);
    sim_emit_sync(w, op->inst, w->mask, SIM_WAIT, SIM_ASYNC_PROXY, 0, leave);
}

// ---- st.async, red.async, st.bulk ----------------------------------------------------------------------

void sim_store_async(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    bool reduces = op->inst->op == PTX_OP_RED_ASYNC;
    uint32_t bytes = (uint32_t)f->data.bytes * f->data.count;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        sim_block *to_block, *owner;
        uint32_t offset;
        uint8_t *to = sim_shared_pointer(w, op, lane, &f->to, bytes, bytes, &to_block, &offset);
        sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &owner);
        if (owner != to_block)
            sim_fault_here(
                w, op, lane, SIM_FAULT_CLUSTER_OWN,
                "the data goes to block rank %u and the mbarrier is in block rank %u: both must be in "
                "one",
                to_block->rank, owner->rank);
        if (w->attention) emit_one(w, op, lane, reduces ? SIM_ATOMIC : SIM_STORE, to_block, offset, bytes);
        async_work *work = sim_async_work(w, op, lane);
        work->kind = ASYNC_DATA;
        work->to = to;
        work->to_shared = true;
        work->bytes = bytes;
        work->reduce = reduces ? &f->data : NULL;
        work->barrier = b->offset;
        for (unsigned e = 0; e < f->data.count; e++)
            memcpy(work->data + e * f->data.bytes,
                   SIM_REG(uint8_t, w, f->data.regs[e]) + (size_t)lane * f->data.reg_bits / 8, f->data.bytes);
        sim_async_track(w, op, owner, work);
    }
}

void sim_store_bulk(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        sim_block *owner;
        uint32_t offset;
        uint64_t bytes =
            f->state_bits == 64 ? SIM_REG(uint64_t, w, f->size)[lane] : SIM_REG(uint32_t, w, f->size)[lane];
        if (bytes % 8 || bytes > w->shared_bytes)
            sim_fault_here(w, op, lane, SIM_FAULT_COPY_SIZE,
                           "st.bulk of %" PRIu64 " bytes: a multiple of 8, no more than shared memory has",
                           bytes);
        uint8_t *to = sim_shared_pointer(w, op, lane, &f->to, (uint32_t)bytes, 8, &owner, &offset);
        if (w->attention) emit_one(w, op, lane, SIM_STORE, owner, offset, (uint32_t)bytes);
        memset(to, 0, bytes);
        w->block->worker->changes++;
    }
}
