// kz: sm 90a
// gemm 22: k divided among any number of blocks
//
// Idea     208 x 448 has eight tiles of 128 x 128, each with 252 chunks to do: a cluster has eight blocks at most, and
//          64 x 64, which 06 has, are bound by requests to L2.
// Change   as many parts of k as fill the multiprocessors (parts.c). Each leaves its sums in the workspace, as floats; a second kernel
//          adds them, in order, and does alpha and beta.
// Expect   all multiprocessors busy with the tile that they are fast with; the same bits in every run.
// Limit    the second launch, and parts that are written and read through L2: for a small c alone.

#include "frame.cuh"
#include "parts.cuh"

#define GEMM_PART(idea, id, order, type, In, Out, a_mn, b_mn)                                                \
    GEMM_KERNEL(gemm_split_k_##order##_##type, id, In, float, a_mn, b_mn)
GEMM_HALVES(GEMM_PART, split_k, K_PARTS, nn, false, true)
GEMM_HALVES(GEMM_PART, split_k, K_PARTS, nt, false, false)
GEMM_HALVES(GEMM_PART, split_k, K_PARTS, tn, true, true)
GEMM_HALVES(GEMM_PART, split_k, K_PARTS, tt, true, false)
GEMM_ADD_PARTS
