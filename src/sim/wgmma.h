// Products of a warpgroup (wgmma): asynchronous, of matrices in shared memory. See wgmma.c.
#ifndef SIM_WGMMA_H
#define SIM_WGMMA_H

#include "sim/mma.h"

// A matrix in shared memory, as a descriptor says it.
typedef struct wgmma_layout {
    uint32_t start, leading, stride; // bytes
    uint32_t swizzle;                // 0, 32, 64 or 128 bytes
    uint32_t base_offset;            // rows of 128 bytes by which the pattern of a swizzle begins later
    bool across;                     // elements lie side by side along m or n, not along k
} wgmma_layout;

wgmma_layout sim_wgmma_layout(uint64_t descriptor, bool across);
// The offset in shared memory of row `row` of a core matrix: of A's rows (B's columns) from 8 * block on, 16 bytes along k from
// 16 * piece on; where the elements lie across, `row` counts along k.
uint32_t sim_wgmma_row(const wgmma_layout *layout, unsigned block, unsigned piece, unsigned row);

typedef struct wgmma_form {
    mma_form base;       // d holds the accumulator, which is read too
    bool a_in_registers; //
    uint32_t a, b;       // descriptors: 64-bit slots
    uint32_t adds;       // scale-d: a predicate's slot; SIM_NOWHERE: adds_negated is its value
    bool adds_negated;
    bool negates_a, negates_b, a_across, b_across;
} wgmma_form;

// decode_wgmma.c
bool sim_decode_wgmma(sim_decoder *decoder, const ptx_inst *inst, sim_op *op, const char **why);
void sim_wgmma_find_accumulators(sim_decoder *decoder); // of the function that is decoded
// Whether a move may copy what a product is to write: then it takes its turn behind the product.
bool sim_select_wgmma_move(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

// wgmma.c
void sim_wgmma(sim_warp *warp, const sim_op *op);
void sim_wgmma_move(sim_warp *warp, const sim_op *op);
void sim_wgmma_fence(sim_warp *warp, const sim_op *op);
void sim_wgmma_commit(sim_warp *warp, const sim_op *op);
void sim_wgmma_wait(sim_warp *warp, const sim_op *op);
// Whether all warps of the group have issued what the wait is for.
bool sim_wgmma_can_pass(const sim_warp *warp, const sim_op *op);

#endif
