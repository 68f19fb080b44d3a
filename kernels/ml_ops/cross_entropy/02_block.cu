// cross_entropy 02: a block per row
//
// Idea     neighbouring threads take neighbouring classes, so that all accesses are coalesced.
// Change   256 threads stride over a row; largest logit and sums are folded in the block.
// Expect   DRAM is read once where the rows in flight fit into L2: 132 rows of 50304 halves are 13 MB.
// Limit    three loads per logit, of one logit each; a row waits for its folds, and nothing is on its way meanwhile (see 03).

#include "passes.cuh"

#define ENTRY(operation, type, args, program)                                                                \
    KZ_ENTRY(cross_entropy_block_##operation##_##type) args {                                                \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < rows; row += gridDim.x)                                          \
            take_row(program, block, row, {row * classes, (int)threadIdx.x, (int)blockDim.x, (int)classes}); \
    }
ENTROPY_ALL(ENTRY)
