// softmax 02: a block per row
//
// Idea     neighbouring threads take neighbouring columns, so that all accesses are coalesced.
// Change   256 threads stride over a row; its largest element and its sum are folded in the block.
// Expect   DRAM is read once: the second and third readings of a row hit L1 or L2.
// Limit    three loads per element, of one element each; rows wait for two folds, and nothing is on its way
//          meanwhile (see 03).

#include "passes.cuh"

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY(softmax_block_##operation##_##type) SOFTMAX_ARGS(T) {                                           \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < batch * rows; row += gridDim.x)                                  \
            take_row(program(a, b, out, rows), block, row, (int)columns, (int)threadIdx.x, (int)blockDim.x); \
    }
SOFTMAX_ALL(ENTRY)
