// rmsnorm 02: a block per row
//
// Idea     neighbouring threads take neighbouring columns, so that all accesses are coalesced.
// Change   256 threads stride over a row; the squares meet in shared memory. Backward, a row adds its part of dweight by
//          atomics on floats in the workspace; a last launch rounds them to the type.
// Expect   every sector is fetched once from DRAM: the second reading of a row finds it in L1 or L2.
// Limit    single elements instead of 16 bytes per access, and each row is read twice; a barrier a row, which short rows do
//          not hide. Every row's atomics meet in the same columns, and their order differs from run to run.

#include "rmsnorm.cuh"
#include "ml_ops/norm_passes.cuh"

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY(rmsnorm_block_##operation##_##type) NORM_ARGS(T) {                                              \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < rows; row += gridDim.x)                                          \
            norm_take<NORM_RMS, KIND>(NORM_GIVEN(T), block,                                                  \
                                      {row, (int)threadIdx.x, (int)blockDim.x, (int)columns});               \
    }
RMSNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY(rmsnorm_block_backward_##type) NORM_BACK_ARGS(T) {                                              \
        kz_row_block_team block = kz_row_block_team::of_block();                                             \
        for (size_t row = blockIdx.x; row < rows; row += gridDim.x)                                          \
            norm_take_back<NORM_RMS, true>(NORM_BACK_GIVEN(T), block,                                        \
                                           {row, (int)threadIdx.x, (int)blockDim.x, (int)columns});          \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_block_fold_backward_##type) NORM_FOLD_ARGS(T) {                                         \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)
