// kz: sm 90a
// gemm 09: groups of rows, each with its own b
//
// Idea     a mixture of experts multiplies the rows of each expert by its own matrix, and how many those are only the device knows.
// Change   blocks find their tiles' groups in the offsets, in the device's memory, as they go: one launch for all groups,
//          whatever the offsets hold. Tiles that end a group write no row of the next.
// Expect   02's speed without clusters, less what the last tile of each group wastes.
// Limit    groups begin at any row, which a tensor map allows along rows alone: a as written.

#include "frame.cuh"

#define GEMM_GROUP_LARGE(idea, id, order, type, In, Out, a_mn, b_mn)                                         \
    GEMM_KERNEL(gemm_grouped_large_##order##_##type, id, In, Out, a_mn, b_mn)
#define GEMM_GROUP_NARROW(idea, id, order, type, In, Out, a_mn, b_mn)                                        \
    GEMM_KERNEL(gemm_grouped_narrow_##order##_##type, id, In, Out, a_mn, b_mn)
GEMM_WRITTEN(GEMM_GROUP_LARGE, grouped, GROUP_LARGE)
GEMM_WRITTEN(GEMM_GROUP_NARROW, grouped, GROUP_NARROW)
