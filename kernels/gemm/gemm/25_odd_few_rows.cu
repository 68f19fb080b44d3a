// kz: sm 90a
// gemm 25: few rows of a, that begin anywhere
//
// Idea     4 x 2358 x 10199 reads 48 MB. The copy that pads b's rows reads, and writes, as much before.
// Change   23 with 24's producer.
// Expect   the speed at which b is read, once.
// Limit    as 23 and 24.

#include "frame.cuh"
#include "parts.cuh"

// The plan gives b as a, and a as b.
#define GEMM_ODD_16(idea, id, order, type, In, Out, a_mn, b_mn)                                              \
    GEMM_KERNEL_OF_ODD(gemm_odd_few_rows_rows_16_##order##_##type, id, In, b_mn, a_mn)
#define GEMM_ODD_64(idea, id, order, type, In, Out, a_mn, b_mn)                                              \
    GEMM_KERNEL_OF_ODD(gemm_odd_few_rows_rows_64_##order##_##type, id, In, b_mn, a_mn)
GEMM_NN_NT_OF(GEMM_ODD_16, odd_few_rows, ODD_16)
GEMM_NN_NT_OF(GEMM_ODD_64, odd_few_rows, ODD_64)
GEMM_ADD_PARTS
