// kz: sm 90a
// gemm 08: few rows of a
//
// Idea     wgmma has 64 rows, and 16 rows of a would waste three quarters of them.
// Change   the tile lies across: b's columns are wgmma's rows, a's rows its 16 or 64 columns, and c is stored transposed.
// Expect   the speed at which b is read.
// Limit    a that lies transposed comes in slabs of 64: it has the kernel of 64 rows alone.

#include "frame.cuh"

// The plan gives b as a, and a as b.
#define GEMM_SWAPPED_16(idea, id, order, type, In, Out, a_mn, b_mn)                                          \
    GEMM_KERNEL(gemm_few_rows_rows_16_##order##_##type, id, In, Out, b_mn, a_mn)
#define GEMM_SWAPPED_64(idea, id, order, type, In, Out, a_mn, b_mn)                                          \
    GEMM_KERNEL(gemm_few_rows_rows_64_##order##_##type, id, In, Out, b_mn, a_mn)
GEMM_WRITTEN(GEMM_SWAPPED_16, few_rows, ROWS_16)
GEMM_WRITTEN(GEMM_SWAPPED_64, few_rows, ROWS_64)
GEMM_TRANSPOSED(GEMM_SWAPPED_64, few_rows, ROWS_64)
