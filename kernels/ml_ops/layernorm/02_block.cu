// layernorm 02: a block per row
//
// Idea     neighbouring threads take neighbouring columns, so that all accesses are coalesced.
// Change   256 threads stride over a row and fold in the block. Backward, a row adds its part of dgamma and dbeta by atomics
//          on floats in the workspace, so x and dy need no second kernel; a last launch rounds them to the type.
// Expect   DRAM is read once: the second and third reading of a row find it in L1 or L2.
// Limit    three loads per element, of one element each, and two folds that a row waits for (see 03). Every row's atomics
//          meet in the same columns, and their order differs from run to run.

#include "layernorm.cuh"
#include "ml_ops/norm_passes.cuh"

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY(layernorm_block_##operation##_##type) NORM_ARGS(T) {                                            \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < rows; row += gridDim.x)                                          \
            norm_take<NORM_LAYER, KIND>(NORM_GIVEN(T), block,                                                \
                                        {row, (int)threadIdx.x, (int)blockDim.x, (int)columns});             \
    }
LAYERNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY(layernorm_block_backward_##type) NORM_BACK_ARGS(T) {                                            \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < rows; row += gridDim.x)                                          \
            norm_take_back<NORM_LAYER, true>(NORM_BACK_GIVEN(T), block,                                      \
                                             {row, (int)threadIdx.x, (int)blockDim.x, (int)columns});        \
    }                                                                                                        \
    KZ_ENTRY(layernorm_block_fold_backward_##type) NORM_FOLD_ARGS(T) {                                       \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)
