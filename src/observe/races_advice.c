// Why two accesses race, and what to do: judged by who they are, and by what stands between them in the program. What
// the program has already is not advised again.
#include <stdio.h>

#include "observe/guards.h"
#include "observe/races.h"

// What lies between two instructions.
enum {
    EXCHANGE = 1,  // shuffles, votes, matrix instructions: lanes wait, but memory is not ordered
    WARP_SYNC = 2, // __syncwarp
    BARRIER = 4,   // of the whole block
    NAMED = 8,     // of some threads
    MBARRIER = 16,
    FENCE = 32,
};

static unsigned kind_of(const ptx_inst *inst) {
    const ptx_op_info *row = ptx_op_get(inst->op);
    switch (inst->op) {
    case PTX_OP_BAR_WARP: return WARP_SYNC;
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_DROP:
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT: return MBARRIER;
    default: break;
    }
    if (row->end == PTX_END_SYNC) return EXCHANGE;
    if (row->end == PTX_END_ARRIVE) return NAMED;
    if (row->end == PTX_END_BARRIER) return observe_races_is_whole_block(inst) ? BARRIER : NAMED;
    return row->class == PTX_CLASS_FENCE ? FENCE : 0;
}

static unsigned scan(const ptx_function *f, uint32_t from, uint32_t to) {
    unsigned found = 0;
    for (uint32_t i = from; i < to && i < f->inst_count; i++) found |= kind_of(&f->insts[i]);
    return found;
}

// From one access to the other in the order of the text, round the loop if need be.
static unsigned between(const races *self, const races_conflict *c) {
    const ptx_inst *first = observe_races_inst_of(self, c->other_tag),
                   *then = observe_races_inst_of(self, c->tag);
    const ptx_function *f = first && then ? observe_races_function_of(self->module, first) : NULL;
    if (!f || observe_races_function_of(self->module, then) != f) return 0;
    uint32_t from = (uint32_t)(first - f->insts), to = (uint32_t)(then - f->insts);
    if (from < to) return scan(f, from + 1, to);
    for (uint32_t i = from; i < f->inst_count; i++)
        if (f->insts[i].op == PTX_OP_BRA && (uint64_t)f->insts[i].operands[0].value <= to)
            return scan(f, from + 1, i) | scan(f, (uint32_t)f->insts[i].operands[0].value, to);
    return scan(f, to + 1, from); // the threads are at different places
}

static bool is_volatile(const races_conflict *c) { return c->tag & c->other_tag & RACES_TAG_VOLATILE; }

static bool is_half_atomic(const races_conflict *c) { return (c->tag | c->other_tag) & RACES_TAG_STRONG; }

// ---- one element, or two stores ------------------------------------------------------------------------------

static const ptx_operand *address_of(const ptx_inst *inst) {
    for (uint32_t i = 0; inst && i < inst->operand_count; i++)
        if (inst->operands[i].kind == PTX_OPERAND_ADDRESS) return &inst->operands[i];
    return NULL;
}

static bool is_same_line(const ptx_module *module, const ptx_inst *one, const ptx_inst *other) {
    if (one->source < 0 || other->source < 0) return false;
    const ptx_location *a = &module->locations[one->source], *b = &module->locations[other->source];
    return a->file == b->file && a->line == b->line;
}

static bool is_same_address(const ptx_inst *one, const ptx_inst *other) {
    const ptx_operand *a = address_of(one), *b = address_of(other);
    return a && b && a->reg == b->reg && a->value == b->value && a->variable == b->variable;
}

static bool is_pair(const ptx_function *f, const ptx_inst *load, const ptx_inst *store) {
    return load->op == PTX_OP_LD && store->op == PTX_OP_ST && is_same_address(load, store) &&
           observe_races_depends(f, load, store);
}

static bool has_pair(const ptx_function *f, const ptx_inst *inst) {
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (is_pair(f, inst, &f->insts[i]) || is_pair(f, &f->insts[i], inst)) return true;
    return false;
}

// a[k] += v: a load and a store through the same register, or where the loop is unrolled those of two rounds. A barrier
// between threads with the same k is no help.
static bool is_update(const races *self, const races_conflict *c) {
    const ptx_inst *one = observe_races_inst_of(self, c->tag),
                   *other = observe_races_inst_of(self, c->other_tag);
    if (!one || !other || (is_half_atomic(c) && !is_volatile(c))) return false;
    const ptx_inst *load = one->op == PTX_OP_LD ? one : other, *store = one->op == PTX_OP_LD ? other : one;
    const ptx_function *f = observe_races_function_of(self->module, load);
    if (!f || load->op != PTX_OP_LD || store->op != PTX_OP_ST) return false;
    if (is_pair(f, load, store)) return true;
    return f == observe_races_function_of(self->module, store) && is_same_line(self->module, load, store) &&
           has_pair(f, load) && has_pair(f, store);
}

static bool is_same_store(const races_conflict *c) {
    return !((c->tag ^ c->other_tag) >> RACES_TAG_SERIAL_SHIFT) && c->tag & RACES_TAG_WRITE &&
           !(c->tag & RACES_TAG_ATOMIC);
}

static const char *of_element(const races *self, const races_conflict *c, uint32_t reach) {
    bool shared = c->access->space != SIM_GLOBAL;
    if (is_update(self, c))
        return reach == 2 ? "likely cause: threads of two blocks work on the same element: an index without "
                            "blockIdx; or a sum "
                            "that all add to, and += reads, adds and writes back: what another wrote in "
                            "between is lost\n"
                            "what to do: where each thread has an element of its own, blockIdx.x * "
                            "blockDim.x + threadIdx.x; "
                            "where all add to one, atomicAdd(&element, value)"
                          : "likely cause: threads work on the same element: an index that is the same for "
                            "several; or a sum "
                            "that all add to, and += reads, adds and writes back: what another wrote in "
                            "between is lost\n"
                            "what to do: an index with threadIdx in it where each thread has an element of "
                            "its own; where all "
                            "add to one, atomicAdd(&element, value)";
    if (!is_same_store(c)) return NULL;
    if (reach == 2)
        return shared ? NULL
                      : "likely cause: threads of two blocks store to the same element: an index without "
                        "blockIdx, or "
                        "all put their result into one place\n"
                        "what to do: blockIdx.x * blockDim.x + threadIdx.x where each thread has an element "
                        "of its own; "
                        "else let one thread write, or use an atomic";
    return reach == 1 ? "likely cause: threads compute the same index and store different values there\n"
                        "what to do: an index with threadIdx in it where each thread has an element of its "
                        "own; else let one "
                        "thread write, or use an atomic (a barrier helps where the stores are of different "
                        "rounds of a loop)"
                      : "likely cause: lanes compute the same index\n"
                        "what to do: an index with threadIdx in it where each has an element of its own; "
                        "else let one lane "
                        "write, or use an atomic";
}

// ---- who they are ----------------------------------------------------------------------------------------------

static const char *of_lanes(const races_conflict *c, unsigned between) {
    if (between & WARP_SYNC)
        return "likely cause: the mask of the __syncwarp() between the two does not name both lanes\n"
               "what to do: name both lanes in it, or __syncwarp() without a mask where the whole warp comes "
               "by";
    if (between & EXCHANGE)
        return "likely cause: a shuffle, vote or matrix instruction stands between the two: it makes lanes "
               "wait, but orders no memory\n"
               "what to do: __syncwarp() between the two";
    if (is_volatile(c))
        return "likely cause: code that takes the lanes of a warp to run in step; since Volta they do not, "
               "and "
               "volatile orders nothing\n"
               "what to do: __syncwarp() after each step, between what a lane stores and what another loads";
    if (is_half_atomic(c))
        return "likely cause: an atomic on one side alone, and nothing between\n"
               "what to do: __syncwarp() between the two, or make both atomic";
    return "likely cause: code that takes the lanes of a warp to run in step; since Volta they do not\n"
           "what to do: __syncwarp() between the two, or __syncthreads() where the whole block comes by";
}

// Two different stores, with nothing between them.
static bool is_overlap(const races_conflict *c, unsigned between) {
    return c->tag & c->other_tag & RACES_TAG_WRITE && !between &&
           (c->tag ^ c->other_tag) >> RACES_TAG_SERIAL_SHIFT;
}

static const char *of_warps(const races_conflict *c, unsigned between) {
    if (between & MBARRIER)
        return "likely cause: an mbarrier stands between the two, but the thread did not wait for the phase "
               "that counts "
               "the other's arrival\n"
               "what to do: arrive after the one access, and wait for that phase before the other";
    if (between & NAMED)
        return "likely cause: the threads wait at barriers that they do not share: another number, or a "
               "count that "
               "leaves one of them out\n"
               "what to do: the same barrier number on both sides, counting all threads that come to it "
               "(bar.arrive for "
               "those that do not wait)";
    if (is_half_atomic(c) && !is_volatile(c))
        return "likely cause: an atomic on one side alone, and no barrier between\n"
               "what to do: __syncthreads() between the two, or make both atomic";
    if (between & WARP_SYNC && !(between & BARRIER))
        return "likely cause: __syncwarp() orders the lanes of one warp, and these threads are in two\n"
               "what to do: __syncthreads() in its place, outside of any divergent branch";
    if (is_overlap(c, between))
        return "likely cause: two lines store to the same bytes: parts of an array that overlap, by a wrong "
               "offset or by "
               "a size in elements where bytes are meant\n"
               "what to do: compare where the parts begin and end; where both lines mean the same element, "
               "__syncthreads() between them";
    if (is_volatile(c))
        return "likely cause: volatile orders nothing between warps\n"
               "what to do: __syncthreads() between the two, outside of any divergent branch";
    return "likely cause: a missing __syncthreads() between the two (in a loop also between the end of one "
           "round and "
           "the start of the next)\n"
           "what to do: __syncthreads() there, outside of any divergent branch";
}

static const char *of_blocks(const races *self, const races_conflict *c, unsigned between) {
    if (c->access->space != SIM_GLOBAL)
        return "likely cause: no cluster barrier between the two\n"
               "what to do: cluster.sync() before another block's shared memory is used, and before it is "
               "used again";
    if (c->tag & c->other_tag & RACES_TAG_STRONG && !is_volatile(c))
        return "likely cause: both are atomic, but the scope of one of them is too small for threads of "
               "different "
               "blocks\n"
               "what to do: cuda::thread_scope_device, or an atomic without _block";
    if (is_half_atomic(c) && !is_volatile(c))
        return "likely cause: an atomic on one side alone; the other side is an ordinary access\n"
               "what to do: make both atomic (cuda::atomic_ref), or end the kernel between the two";
    if (self->is_cooperative && !between)
        return "likely cause: no barrier of the grid between the two (in a loop also between the end of one "
               "round and "
               "the start of the next)\n"
               "what to do: grid.sync() there; or two buffers by turns";
    if (self->is_cooperative && between & FENCE)
        return "likely cause: a barrier of the grid orders what comes before it; the other block has passed "
               "it, and "
               "comes to this element again before the next one\n"
               "what to do: one more grid.sync(), between the last read of a round and the next round's "
               "write; or two "
               "buffers by turns";
    if (between & (BARRIER | NAMED))
        return "likely cause: the barrier between the two orders the threads of one block, and these are in "
               "two\n"
               "what to do: grid.sync() in a cooperative launch, or a second kernel for what comes after";
    if (is_volatile(c))
        return "likely cause: blocks of a launch run in no order, and volatile orders nothing\n"
               "what to do: data, __threadfence(), flag in one block; flag, __threadfence(), data in the "
               "other; or "
               "atomics, or a second kernel";
    return "likely cause: blocks of a launch run in no order, and nothing makes one wait for the other\n"
           "what to do: let each block write what it alone uses, use atomics, or launch a second kernel";
}

// The other one is a copy that was started before.
static const char *of_copy(const races_conflict *c) {
    unsigned kind = c->other_tag & RACES_TAG_KIND;
    if (kind == RACES_TRACKED)
        return "likely cause: another thread waited for the copy's mbarrier, this one did not\n"
               "what to do: let each thread that uses the bytes wait for the mbarrier, or a barrier after "
               "the wait";
    if (kind == RACES_COPY)
        return "likely cause: a wait for cp.async is for the copies of the thread itself: a missing "
               "__syncthreads() after "
               "it, before others use the bytes, or between their last read and the next copy to that place\n"
               "what to do: __syncthreads() there, outside of any divergent branch";
    return NULL;
}

const char *observe_races_advice(const races *self, const races_conflict *c, uint32_t reach) {
    if (observe_races_is_before_issue(c))
        return "likely cause: the warps of a warpgroup issue a product without a barrier: each warp's part "
               "reads what "
               "the others wrote, and wgmma.fence orders registers alone. An H200 begins when the last warp "
               "has "
               "issued it, which PTX does not promise\n"
               "what to do: fence.proxy.async by all warps that write the tile, then a barrier of the "
               "warpgroup's 128 "
               "threads (bar.sync ID, 128), then the product";
    const char *special = of_copy(c);
    if (!special) special = of_element(self, c, reach);
    if (special) return special;
    unsigned found = between(self, c);
    return reach == 2 ? of_blocks(self, c, found) : reach == 1 ? of_warps(c, found) : of_lanes(c, found);
}
