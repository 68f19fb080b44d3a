// mbarrier objects: arrivals and bytes that a phase waits for (PTX, "Parallel Synchronization and
// Communication Instructions: mbarrier").
//
// An object is eight bytes of shared memory, as on the GPU; what they mean is our own: bits 0-19 arrivals
// still pending, 20-39 arrivals expected per phase, 40-60 bytes still expected (signed), 61 the phase's
// parity, 62-63 a mark. The block keeps a list of its objects beside it, so that use before init and stray
// stores are found.

#include "sim/async.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t word_of(const sim_mbarrier *b) {
    return UINT64_C(1) << 62 | (b->phase & 1) << 61 | ((uint64_t)(uint32_t)b->tx & 0x1fffff) << 40 |
           (uint64_t)b->expected << 20 | b->pending;
}

static void keep(sim_block *owner, sim_mbarrier *b) {
    b->word = word_of(b);
    memcpy(owner->shared + b->offset, &b->word, sizeof b->word);
    owner->worker->changes++;
}

sim_mbarrier *sim_mbarrier_at(sim_block *block, uint32_t offset) {
    sim_async *async = block->async;
    if (!async || !async->mbarrier_count) return NULL;
    if (async->last < async->mbarrier_count && async->mbarriers[async->last].offset == offset)
        return &async->mbarriers[async->last];
    for (uint32_t i = 0; i < async->mbarrier_count; i++)
        if (async->mbarriers[i].offset == offset) {
            async->last = i;
            return &async->mbarriers[i];
        }
    return NULL;
}

static void add_where(const sim_warp *w, const sim_block *owner, uint32_t offset, char *text, size_t room) {
    if (owner == w->block)
        snprintf(text, room, "the mbarrier at shared offset 0x%x", offset);
    else
        snprintf(text, room, "the mbarrier at shared offset 0x%x of block rank %u", offset, owner->rank);
}

sim_mbarrier *sim_mbarrier_find(sim_warp *w, const sim_op *op, unsigned lane,
                                const async_address_operand *operand, sim_block **owner) {
    uint32_t offset;
    char where[96];
    const uint8_t *at = sim_shared_pointer(w, op, lane, operand, 8, 8, owner, &offset);
    sim_mbarrier *b = sim_mbarrier_at(*owner, offset);
    add_where(w, *owner, offset, where, sizeof where);
    if (!b || !b->live)
        sim_fault_here(
            w, op, lane, SIM_FAULT_MBARRIER_MISSING, "%s is used %s\nlikely cause: %s", where,
            b ? "after mbarrier.inval" : "but was never initialised",
            b ? "a thread still uses it while another ends its life"
            : *owner != w->block
                ? "no cluster barrier between mbarrier.init there and its use here"
                : "no mbarrier.init, no barrier between it and the use by other threads, or a wrong address");
    if (memcmp(at, &b->word, 8))
        sim_fault_here(
            w, op, lane, SIM_FAULT_MBARRIER_OVERWRITTEN,
            "%s was overwritten by something else than mbarrier instructions\nlikely cause: a store "
            "or a copy past the end of a neighbouring array",
            where);
    return b;
}

// ---- phases --------------------------------------------------------------------------------------------

static void tell(sim_block *owner, const async_work *work, sim_sync_kind kind) {
    if (work->kind != ASYNC_ARRIVE && work->bytes)
        sim_emit_sync(work->by, work->op->inst, UINT32_C(1) << work->lane, kind, SIM_ASYNC_PROXY,
                      sim_mbarrier_object(owner, work->barrier), work->bytes);
}

// Copies that the mbarrier tracks and whose bytes the phase did not wait for.
static void tell_left(sim_block *owner, const sim_mbarrier *b) {
    for (const async_work *work = owner->async->tracked.first; work; work = work->next)
        if (work->barrier == b->offset) tell(owner, work, SIM_LEFT);
}

void sim_mbarriers_ended(sim_block *owner) {
    if (!owner->worker->listener) return;
    for (const async_work *work = owner->async->tracked.first; work; work = work->next)
        tell(owner, work, SIM_ENDED);
}

static void try_complete(sim_block *owner, sim_mbarrier *b) {
    if (b->pending == 0 && b->tx == 0) {
        if (owner->worker->listener) tell_left(owner, b);
        b->bytes_expected = b->bytes_come = 0;
        b->phase++;
        b->pending = b->expected;
        b->asked = false;
        owner->moved = true;
        owner->worker->stirred = true;
    }
    keep(owner, b);
}

static void arrive(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, sim_mbarrier *b,
                   uint32_t count) {
    char where[96];
    if (count > b->pending) {
        add_where(w, owner, b->offset, where, sizeof where);
        sim_fault_here(
            w, op, lane, SIM_FAULT_MBARRIER_COUNT,
            "%u arrival%s at %s, whose phase %" PRIu64 " waits for %u more of %u\n"
            "likely cause: more threads arrive than mbarrier.init was told of, or again before the phase is "
            "over: a producer that does not wait until its stage is empty",
            count, count == 1 ? "" : "s", where, b->phase, b->pending, b->expected);
    }
    b->pending -= count;
    try_complete(owner, b);
}

static void change_tx(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, sim_mbarrier *b,
                      int64_t bytes) {
    int64_t tx = b->tx + bytes;
    if (tx > SIM_MBARRIER_LIMIT || tx < -SIM_MBARRIER_LIMIT) {
        char where[96];
        add_where(w, owner, b->offset, where, sizeof where);
        sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                       "the transaction count of %s would become %" PRId64
                       ", outside -%d to %d\nlikely cause: "
                       "expect_tx without a copy that completes it, or too many bytes in one phase",
                       where, tx, SIM_MBARRIER_LIMIT, SIM_MBARRIER_LIMIT);
    }
    b->tx = (int32_t)tx;
    *(bytes > 0 ? &b->bytes_expected : &b->bytes_come) += (uint64_t)(bytes > 0 ? bytes : -bytes);
}

void sim_mbarrier_complete_tx(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, sim_mbarrier *b,
                              uint32_t bytes) {
    change_tx(w, op, lane, owner, b, -(int64_t)bytes);
    try_complete(owner, b);
}

void sim_mbarrier_arrive_one(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner,
                             sim_mbarrier *b) {
    arrive(w, op, lane, owner, b, 1);
}

void sim_mbarrier_add_pending(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner,
                              sim_mbarrier *b) {
    if (b->pending == SIM_MBARRIER_LIMIT)
        sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                       "an mbarrier waits for %d arrivals already, and can take no more", SIM_MBARRIER_LIMIT);
    b->pending++;
    keep(owner, b);
}

// ---- instructions --------------------------------------------------------------------------------------

static const async_form *form_of(const sim_op *op) { return (const async_form *)(uintptr_t)op->aux; }

void sim_mbarrier_init(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t count = SIM_REG(uint32_t, w, f->size)[lane], offset;
        sim_block *owner;
        sim_shared_pointer(w, op, lane, &f->barrier, 8, 8, &owner, &offset);
        if (owner != w->block)
            sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_OWN,
                           "mbarrier.init in the shared memory of another block");
        if (count == 0 || count > SIM_MBARRIER_LIMIT)
            sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                           "mbarrier.init for %u arrivals: from 1 to %d can be expected", count,
                           SIM_MBARRIER_LIMIT);
        sim_async *async = sim_async_of(w, op);
        sim_mbarrier *b = sim_mbarrier_at(owner, offset);
        if (!b && async->mbarrier_count == async->mbarrier_capacity) {
            uint32_t capacity = async->mbarrier_capacity ? async->mbarrier_capacity * 2 : 16;
            sim_mbarrier *grown = realloc(async->mbarriers, capacity * sizeof *grown);
            if (!grown) sim_fault_here(w, op, lane, SIM_FAULT_NO_MEMORY, "no memory left for an mbarrier");
            async->mbarriers = grown;
            async->mbarrier_capacity = capacity;
        }
        if (!b) b = &async->mbarriers[async->mbarrier_count++];
        *b = (sim_mbarrier){.offset = offset, .live = true, .expected = count, .pending = count};
        keep(owner, b);
        sim_emit_sync(w, op->inst, UINT32_C(1) << lane, SIM_INIT, SIM_THREAD,
                      sim_mbarrier_object(owner, offset), 0);
    }
}

void sim_mbarrier_inval(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        sim_block *owner;
        sim_mbarrier *b = sim_mbarrier_find(w, op, (unsigned)__builtin_ctz(m), &form_of(op)->barrier, &owner);
        b->live = false;
    }
}

// Lanes of an instruction that met the same object: told of together.
typedef struct object_lanes {
    uint64_t object;
    uint32_t lanes;
} object_lanes;

static void emit_lanes(sim_warp *w, const sim_op *op, sim_sync_kind kind, object_lanes *seen, uint64_t object,
                       unsigned lane) {
    if (seen->lanes && seen->object != object) {
        sim_emit_sync(w, op->inst, seen->lanes, kind, SIM_THREAD, seen->object, 0);
        seen->lanes = 0;
    }
    seen->object = object;
    if (lane < SIM_LANES) seen->lanes |= UINT32_C(1) << lane;
}

static void emit_rest(sim_warp *w, const sim_op *op, sim_sync_kind kind, const object_lanes *seen) {
    if (seen->lanes) sim_emit_sync(w, op->inst, seen->lanes, kind, SIM_THREAD, seen->object, 0);
}

static void arrive_lane(sim_warp *w, const sim_op *op, unsigned lane, object_lanes *seen) {
    const async_form *f = form_of(op);
    const ptx_inst *inst = op->inst;
    bool expects = inst->flags & PTX_FLAG(EXPECT_TX), no_complete = inst->flags & PTX_FLAG(NOCOMPLETE),
         drops = inst->op == PTX_OP_MBARRIER_ARRIVE_DROP;
    sim_block *owner;
    sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &owner);
    uint32_t amount = f->size == SIM_NOWHERE ? 1 : SIM_REG(uint32_t, w, f->size)[lane];
    uint32_t count = expects ? 1 : amount;
    uint64_t before = b->word;
    if (count == 0 || count > SIM_MBARRIER_LIMIT)
        sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                       "an arrival with the count %u: from 1 to %d is allowed", count, SIM_MBARRIER_LIMIT);
    if (no_complete && count >= b->pending)
        sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                       "mbarrier.arrive.noComplete with %u arrivals, where the phase waits for %u: it would "
                       "complete the phase",
                       count, b->pending);
    if (expects) change_tx(w, op, lane, owner, b, amount);
    if (drops) {
        if (count > b->expected)
            sim_fault_here(w, op, lane, SIM_FAULT_MBARRIER_COUNT,
                           "mbarrier.arrive_drop of %u, where %u arrivals are expected in all", count,
                           b->expected);
        b->expected -= count;
    }
    emit_lanes(w, op, SIM_ARRIVE, seen, sim_mbarrier_object(owner, b->offset), lane);
    arrive(w, op, lane, owner, b, count);
    if (op->d != SIM_NOWHERE) SIM_REG(uint64_t, w, op->d)[lane] = before;
}

void sim_mbarrier_arrive(sim_warp *w, const sim_op *op) {
    object_lanes seen = {0};
    for (uint32_t m = w->mask; m; m &= m - 1) arrive_lane(w, op, (unsigned)__builtin_ctz(m), &seen);
    emit_rest(w, op, SIM_ARRIVE, &seen);
}

void sim_mbarrier_count_tx(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        sim_block *owner;
        sim_mbarrier *b = sim_mbarrier_find(w, op, lane, &f->barrier, &owner);
        uint32_t bytes = SIM_REG(uint32_t, w, f->size)[lane];
        if (op->inst->op == PTX_OP_MBARRIER_COMPLETE_TX)
            sim_mbarrier_complete_tx(w, op, lane, owner, b, bytes);
        else {
            change_tx(w, op, lane, owner, b, bytes);
            keep(owner, b);
        }
    }
}

static bool is_over(const sim_warp *w, const sim_op *op, const async_form *f, const sim_mbarrier *b,
                    unsigned lane) {
    uint64_t parity = b->phase & 1;
    if (op->inst->flags & PTX_FLAG(PARITY)) return (SIM_REG(uint32_t, w, f->state)[lane] & 1) != parity;
    return (SIM_REG(uint64_t, w, f->state)[lane] >> 61 & 1) != parity;
}

static void remember(async_warp *mine, const sim_op *op, unsigned lane, const sim_block *owner,
                     uint32_t offset) {
    mine->waits |= UINT32_C(1) << lane;
    mine->waits_at[lane] = offset;
    mine->waits_in[lane] = owner;
    mine->waits_inst = op->inst;
}

// The first look that finds copies under way fails, as it may on the GPU: so a program that does not look at
// the answer, or does not try again, reads old bytes.
static bool look(sim_warp *w, const sim_op *op, const async_form *f, unsigned lane, sim_block *owner,
                 sim_mbarrier *b) {
    if (is_over(w, op, f, b, lane)) return true;
    if (!b->asked && !sim_async_early(w)) {
        b->asked = true;
        return false;
    }
    sim_async_settle(owner, b);
    return is_over(w, op, f, b, lane);
}

void sim_mbarrier_look(sim_warp *w, const sim_op *op) {
    const async_form *f = form_of(op);
    object_lanes seen = {0};
    uint32_t yes = 0, decided = 0;
    async_warp *mine = sim_async_warp(w, op);
    sim_block *owner = NULL;
    sim_mbarrier *b = NULL;
    uint64_t address = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t here = async_address(w, &f->barrier, lane);
        bool same = b && here == address;
        if (!same) b = sim_mbarrier_find(w, op, lane, &f->barrier, &owner);
        if (!same && owner != w->block)
            sim_fault_here(w, op, lane, SIM_FAULT_CLUSTER_OWN,
                           "waits for an mbarrier of another block: only threads of its "
                           "own block may");
        address = here;
        // Lanes that look together see the same.
        bool over = same && decided ? is_over(w, op, f, b, lane) : look(w, op, f, lane, owner, b);
        decided = 1;
        if (over) {
            yes |= UINT32_C(1) << lane;
            emit_lanes(w, op, SIM_PASS, &seen, sim_mbarrier_object(owner, b->offset), lane);
        } else
            remember(mine, op, lane, owner, b->offset);
    }
    emit_rest(w, op, SIM_PASS, &seen);
    mine->waits &= ~yes;
    if (yes != w->mask) w->spun = true;
    SIM_PRED(w, op->d) = (SIM_PRED(w, op->d) & ~w->mask) | yes;
}

void sim_mbarrier_pending_count(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        SIM_REG(uint32_t, w, op->d)[lane] = (uint32_t)(SIM_REG(uint64_t, w, op->a)[lane] & 0xfffff);
    }
}

// ---- who waits for what --------------------------------------------------------------------------------

bool sim_mbarrier_describe(const sim_warp *w, uint32_t lanes, base_text *out, const ptx_inst **inst) {
    const sim_async *async = w->block->async;
    if (!async) return false;
    const async_warp *mine = &async->warps[w->index];
    lanes &= mine->waits;
    if (!lanes) return false;
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    sim_mbarrier *b = sim_mbarrier_at((sim_block *)mine->waits_in[lane], mine->waits_at[lane]);
    if (!b) return false;
    base_text_add(out, "wait for the mbarrier at shared offset 0x%x, phase %" PRIu64 ": %u of %u arrivals",
                  b->offset, b->phase, b->pending, b->expected);
    base_text_add(out, b->tx > 0 ? " and %d bytes are missing" : " are missing", b->tx);
    if (b->bytes_expected || b->bytes_come)
        base_text_add(out, " (%" PRIu64 " bytes were expected, %" PRIu64 " came%s)", b->bytes_expected,
                      b->bytes_come, b->tx < 0 ? ": more than were expected" : "");
    *inst = mine->waits_inst;
    return true;
}
