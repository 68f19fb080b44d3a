// Tensor copies: which bytes of global memory a box is made of, and where they lie in shared memory.
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

#include "sim/async.h"
#include "sim/tensor_map.h"

enum { SIM_TENSOR_ALIGN = 128 }; // of the box in shared memory

// A copy as it was issued: the map's bytes are read then.
struct tensor_copy {
    sim_tensor_map map;
    int64_t at[SIM_TENSOR_RANK]; // coordinates
    uint16_t offset[3];          // im2col: of the filter, W first
    uint32_t shared;             // offset of the box in its block's shared memory
    memory_form reduce;
    bool keeps_subnormals; // a reduction, as one of shared memory does
    bool is_store; // or a reduction: it writes whole pieces of 16 bytes, past a tensor that ends inside one
};

// Elements of a box that lie one behind the other in both memories.
typedef struct tensor_row {
    uint32_t to, bytes; // in the box as it lies in shared memory, before the swizzle
    uint32_t first,
        count;        // of them, the bytes inside the tensor: `count` from `first` on; the rest is filled
    uint64_t address; // of the first byte inside
} tensor_row;

// tensor_box.c
typedef void tensor_visit(void *context, const tensor_row *row);
void sim_tensor_walk(const tensor_copy *copy, tensor_visit *visit, void *context);
// Where a byte of the box lies, as an offset in shared memory. 16 bytes from a multiple of 16 on stay together.
static inline uint32_t sim_tensor_place(const tensor_copy *copy, uint32_t at) {
    uint32_t place = copy->shared + at;
    if (copy->map.swizzle == SIM_SWIZZLE_NONE) return place;
    uint32_t rows = (sim_swizzle_bytes(copy->map.swizzle) >> 4) - 1;
    return place ^ (place >> 7 & rows) << 4;
}
// Of a tiled copy: the addresses of all it touches lie in [low, high); false where it touches none.
bool sim_tensor_range(const tensor_copy *copy, uint64_t *low, uint64_t *high);
// The bytes of shared memory from the box's begin on that it takes, with what lies between its rows.
uint32_t sim_tensor_extent(const tensor_copy *copy);

// decode_tensor.c
typedef struct tensor_form {
    async_address_operand map, shared, barrier;
    uint32_t at[SIM_TENSOR_RANK], offset[3]; // slots
    uint32_t mask;                           // multicast
    uint8_t rank;
    bool im2col, multicast, is_load, is_prefetch;
    ptx_mod reduce;   // PTX_MOD_NONE: a copy
    ptx_mod field;    // tensormap.replace
    uint32_t ordinal; //
    uint32_t value;   //
    uint8_t bits;     //
} tensor_form;
bool sim_select_tensor(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

// tensor.c
void sim_tensor_copy(sim_warp *warp,
                     const sim_op *op);    // and reductions, and prefetches, which are only judged
void sim_tensor_perform(async_work *work); // moves the bytes
void sim_tensor_read(async_work *work);    // work->kept gets the box as it lies in shared memory

// tensor_change.c
void sim_tensor_replace(sim_warp *warp, const sim_op *op); // tensormap.replace
void sim_tensor_publish(sim_warp *warp, const sim_op *op); // tensormap.cp_fenceproxy
// The map at an address of global memory, which is checked.
uint8_t *sim_tensor_global_map(sim_warp *warp, const sim_op *op, unsigned lane, uint64_t address, bool write);

#endif
