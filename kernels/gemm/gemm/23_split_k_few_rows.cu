// kz: sm 90a
// gemm 23: few rows of a, k divided
//
// Idea     8 x 8872 has 139 tiles of 08: two rounds, the second of seven. In three parts each it has 417, which are 3.2 rounds of a third.
// Change   22 for 08's tiles.
// Expect   the speed at which b is read, whatever its rows.
// Limit    as 08 and 22.

#include "frame.cuh"
#include "parts.cuh"

// The plan gives b as a, and a as b.
#define GEMM_PART_16(idea, id, order, type, In, Out, a_mn, b_mn)                                             \
    GEMM_KERNEL(gemm_split_k_few_rows_rows_16_##order##_##type, id, In, float, b_mn, a_mn)
#define GEMM_PART_64(idea, id, order, type, In, Out, a_mn, b_mn)                                             \
    GEMM_KERNEL(gemm_split_k_few_rows_rows_64_##order##_##type, id, In, float, b_mn, a_mn)
GEMM_HALVES(GEMM_PART_16, split_k_few_rows, K_PARTS_16, nn, false, true)
GEMM_HALVES(GEMM_PART_16, split_k_few_rows, K_PARTS_16, nt, false, false)
GEMM_HALVES(GEMM_PART_64, split_k_few_rows, K_PARTS_64, nn, false, true)
GEMM_HALVES(GEMM_PART_64, split_k_few_rows, K_PARTS_64, nt, false, false)
GEMM_ADD_PARTS
