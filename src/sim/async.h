// Asynchronous copies, mbarriers and clusters, for the files that simulate them.
//
// What is asynchronous is done as late as PTX allows: a cp.async when its thread waits for the group,
// whatever an mbarrier tracks at the second look at that mbarrier, bulk copies to global memory when their
// group is waited for or the block ends; and all of it when nothing else can move. Until then the destination
// holds its old bytes. A drawn schedule (launch.seed) completes some of it earlier.
//
// An address in the cluster's shared memory is (rank + 1) << 24 | offset; below 1 << 24 it is the block's
// own.
#ifndef SIM_ASYNC_H
#define SIM_ASYNC_H

#include "sim/exec_memory.h"

enum {
    SIM_RANK_SHIFT = 24,
    SIM_OWN_SHARED = 1 << SIM_RANK_SHIFT,
    SIM_CLUSTER_LIMIT = 16, // blocks; 8 where a program wants to run on every GPU
    SIM_MBARRIER_LIMIT = (1 << 20) - 1,
};

// ---- operands ------------------------------------------------------------------------------------------

// An address operand: a register's slot and what is added to it. `space` is the modifier that names its
// space, PTX_MOD_NONE for a generic address.
typedef struct async_address_operand {
    uint32_t at;
    int64_t offset;
    uint8_t bits;
    uint16_t space;
} async_address_operand;

// The operands of an asynchronous instruction; sim_op.aux points at it. Slots that are absent: SIM_NOWHERE.
typedef struct async_form {
    async_address_operand to, from, barrier;
    uint32_t size;        // bytes to copy, or a count of arrivals, or of bytes expected; 32 bits
    uint32_t source_size; // cp.async: bytes to read, the rest is zero
    uint32_t ignore;      // cp.async: a predicate; where it holds nothing is read
    uint32_t mask;        // multicast: the blocks; cp_mask: the bytes of each 16
    uint32_t state;       // mbarrier: 64 bits, or the parity in 32
    uint8_t state_bits;   // 64 or 32
    uint8_t cp_bytes;     // cp.async: 4, 8 or 16
    bool ignore_negated;  //
    bool multicast, masked_bytes;
    memory_form data; // reductions: type and operation; st.async, red.async: the registers too
} async_form;

static inline uint64_t async_address(const sim_warp *w, const async_address_operand *operand, unsigned lane) {
    uint64_t base = operand->bits == 64 ? SIM_REG(uint64_t, w, operand->at)[lane]
                                        : SIM_REG(uint32_t, w, operand->at)[lane];
    uint64_t address = base + (uint64_t)operand->offset;
    return operand->bits == 64 ? address : address & UINT32_MAX;
}

// decode_async.c: sets `op` for the instructions of these files and returns true; false: not its own.
bool sim_select_async(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);
// An address operand in `space`, a modifier; false where the operand is something else.
bool sim_async_address_of(sim_decoder *decoder, const ptx_inst *inst, uint32_t index, uint16_t space,
                          async_address_operand *operand);
// A source of exactly `bits`, a constant included.
bool sim_async_value_of(sim_decoder *decoder, const ptx_operand *operand, unsigned bits, uint32_t *at);
// The index-th space of an instruction that names two.
uint16_t sim_async_space_at(const ptx_inst *inst, unsigned index);
bool sim_async_has_mod(const ptx_inst *inst, ptx_mod mod);

// ---- what is under way ---------------------------------------------------------------------------------

// The cp.asyncs of one instruction of a warp that are not done yet.
typedef struct async_copy {
    uint32_t mask; // lanes
    uint8_t bytes;
    uint8_t source[SIM_LANES]; // bytes to read, the rest is zero
    uint32_t group[SIM_LANES]; // commit_groups the lane had executed before
    uint32_t to[SIM_LANES];    // shared offsets
    const uint8_t *from[SIM_LANES];
    uint64_t serial; // its ordinal in the warp
} async_copy;

typedef struct tensor_copy tensor_copy; // tensor.h

typedef enum async_kind {
    ASYNC_BULK,   // cp.async.bulk, cp.reduce.async.bulk
    ASYNC_TENSOR, // cp.async.bulk.tensor, cp.reduce.async.bulk.tensor
    ASYNC_DATA,   // st.async, red.async: the bytes are here
    ASYNC_ARRIVE, // cp.async.mbarrier.arrive
} async_kind;

// One operation that an mbarrier or a bulk group tracks.
typedef struct async_work async_work;
struct async_work {
    async_work *next;
    async_kind kind;
    sim_warp *by;
    const sim_op *op;
    uint8_t lane;
    bool to_shared;
    bool has_read; // a bulk group's: `kept` holds what was read
    uint8_t *to, *kept;
    const uint8_t *from;
    uint32_t bytes;
    uint16_t byte_mask;        // cp_mask; all ones otherwise
    const memory_form *reduce; // NULL: a copy
    uint32_t barrier;          // shared offset, in the block whose list this is in
    uint32_t group;            // bulk: commit_groups the lane had executed before
    uint64_t serial;           // ASYNC_ARRIVE: the warp's cp.asyncs before this one
    uint8_t data[32];          // ASYNC_DATA
    tensor_copy *tensor;       // ASYNC_TENSOR: the box; `to` or `from` is its place in shared memory
};

typedef struct async_list {
    async_work *first, **end;
} async_list;

// ---- mbarriers -----------------------------------------------------------------------------------------

// `word` is what its eight bytes in shared memory hold: if they differ, somebody wrote over them.
typedef struct sim_mbarrier {
    uint32_t offset;
    bool live;
    bool asked; // somebody has looked in this phase and found copies under way
    uint32_t expected, pending;
    int32_t tx;
    uint64_t bytes_expected, bytes_come; // in this phase, for messages
    uint64_t phase, word;
} sim_mbarrier;

// A warp's part. A look at an mbarrier that failed is remembered, to say who waits for what.
typedef struct async_warp {
    async_copy *copies;
    uint32_t copy_count, copy_capacity;
    uint64_t serial;
    uint32_t groups[SIM_LANES], bulk_groups[SIM_LANES];
    async_list bulk;
    uint32_t waits; // lanes whose last look failed
    uint32_t waits_at[SIM_LANES];
    const sim_block *waits_in[SIM_LANES];
    const ptx_inst *waits_inst;
    struct sim_wgmma_state *wgmma; // products of its warpgroup; NULL until there are any
} async_warp;

struct sim_async {
    async_list tracked; // by mbarriers of this block, in the order of issue
    sim_mbarrier *mbarriers;
    uint32_t mbarrier_count, mbarrier_capacity, last;
    uint32_t warp_count;
    async_warp warps[];
};

// async.c
sim_async *sim_async_of(sim_warp *warp, const sim_op *op); // the block's, made when first needed
sim_async *sim_async_in(sim_warp *warp, const sim_op *op, sim_block *block);
async_warp *sim_async_warp(sim_warp *warp, const sim_op *op);
async_work *sim_async_work(sim_warp *warp, const sim_op *op, unsigned lane); // zeroed
void sim_async_add(async_list *list, async_work *work);
bool sim_async_early(const sim_warp *warp); // a drawn schedule completes this one now
void sim_async_perform(async_work *work);   // moves the bytes; frees nothing
void sim_async_finish_copies(sim_block *block, sim_warp *warp, uint32_t lanes, uint64_t before);
void sim_async_free(async_work *work);
// Does what is tracked by the mbarrier, in order, until its phase is over.
void sim_async_settle(sim_block *block, sim_mbarrier *mbarrier);
void sim_async_emit(sim_warp *warp, const ptx_inst *inst, uint32_t mask, sim_access_kind kind,
                    sim_space space, sim_agent agent, uint32_t bytes, const uint64_t *addresses);
// One lane's access by the asynchronous proxy; `owner` NULL: global memory, else whose shared memory.
void sim_async_emit_one(sim_warp *warp, const sim_op *op, unsigned lane, sim_access_kind kind,
                        const sim_block *owner, uint64_t at, uint32_t bytes, sim_access_part part);
// The mbarrier of `owner` whose offset the work has tracks it.
void sim_async_track(sim_warp *warp, const sim_op *op, sim_block *owner, async_work *work);

void sim_cp_async(sim_warp *warp, const sim_op *op);
void sim_cp_async_commit(sim_warp *warp, const sim_op *op);
void sim_cp_async_wait_group(sim_warp *warp, const sim_op *op);
void sim_cp_async_wait_all(sim_warp *warp, const sim_op *op);
void sim_cp_async_arrive(sim_warp *warp, const sim_op *op);

// wgmma.c
void sim_wgmma_reset(struct sim_wgmma_state *state); // both: NULL is allowed
void sim_wgmma_close(struct sim_wgmma_state *state);
// Products under way: in committed groups, and how many groups that are; not committed.
void sim_wgmma_count(const struct sim_wgmma_state *state, uint32_t *done, uint32_t *groups, uint32_t *open);

// bulk.c
void sim_bulk_copy(sim_warp *warp, const sim_op *op);
void sim_bulk_commit(sim_warp *warp, const sim_op *op);
void sim_bulk_wait(sim_warp *warp, const sim_op *op);
void sim_bulk_finish(async_warp *warp, uint32_t lanes, uint32_t leave, bool only_read);
void sim_store_async(sim_warp *warp, const sim_op *op); // st.async, red.async
void sim_store_bulk(sim_warp *warp, const sim_op *op);  // st.bulk

// mbarrier.c
void sim_mbarrier_init(sim_warp *warp, const sim_op *op);
void sim_mbarrier_inval(sim_warp *warp, const sim_op *op);
void sim_mbarrier_arrive(sim_warp *warp, const sim_op *op);
void sim_mbarrier_count_tx(sim_warp *warp, const sim_op *op);
void sim_mbarrier_look(sim_warp *warp, const sim_op *op);
void sim_mbarrier_pending_count(sim_warp *warp, const sim_op *op);
// The object at a lane's address and the block it lies in; faults where there is none.
sim_mbarrier *sim_mbarrier_find(sim_warp *warp, const sim_op *op, unsigned lane,
                                const async_address_operand *operand, sim_block **owner);
// The object at an offset of a block's shared memory, or NULL.
sim_mbarrier *sim_mbarrier_at(sim_block *block, uint32_t offset);
void sim_mbarriers_ended(sim_block *block); // tells of the copies that are under way
// For what is completed later: `warp`, `op` and `lane` issued it.
void sim_mbarrier_complete_tx(sim_warp *warp, const sim_op *op, unsigned lane, sim_block *owner,
                              sim_mbarrier *mbarrier, uint32_t bytes);
void sim_mbarrier_arrive_one(sim_warp *warp, const sim_op *op, unsigned lane, sim_block *owner,
                             sim_mbarrier *mbarrier);
void sim_mbarrier_add_pending(sim_warp *warp, const sim_op *op, unsigned lane, sim_block *owner,
                              sim_mbarrier *mbarrier);
static inline uint64_t sim_mbarrier_object(const sim_block *block, uint32_t offset) {
    return (uint64_t)block->index << 32 | UINT32_C(1) << 31 | offset;
}

// ---- clusters ------------------------------------------------------------------------------------------

// Blocks that are resident together, on one worker, and reach each other's shared memory. They are retired
// when all have ended.
struct sim_cluster {
    uint32_t index, size, ended;
    uint32_t alive;   // threads
    uint32_t missing; // of them, those that have not arrived at the cluster's barrier
    uint64_t phase;
    sim_block *blocks[SIM_CLUSTER_LIMIT];
};

// cluster.c
void sim_cluster_map(sim_warp *warp, const sim_op *op);    // mapa
void sim_cluster_rank(sim_warp *warp, const sim_op *op);   // getctarank
void sim_cluster_arrive(sim_warp *warp, const sim_op *op); // barrier.cluster.arrive
// Where [address, address + bytes) of a space that is shared memory lies, and in which block; faults where it
// is outside. `offset` is into that block's shared memory.
uint8_t *sim_find_shared(sim_warp *warp, const sim_op *op, unsigned lane,
                         const async_address_operand *operand, uint32_t bytes, uint32_t align,
                         sim_block **owner, uint32_t *offset);

// The same, quickly where it is the block's own.
static inline uint8_t *sim_shared_pointer(sim_warp *w, const sim_op *op, unsigned lane,
                                          const async_address_operand *operand, uint32_t bytes,
                                          uint32_t align, sim_block **owner, uint32_t *offset) {
    uint64_t address = async_address(w, operand, lane);
    bool fits = address <= w->shared_bytes && bytes <= w->shared_bytes - address;
    if (operand->space == PTX_MOD_NONE || !fits || address & (align - 1))
        return sim_find_shared(w, op, lane, operand, bytes, align, owner, offset);
    *owner = w->block;
    *offset = (uint32_t)address;
    return w->block->shared + address;
}

#endif
