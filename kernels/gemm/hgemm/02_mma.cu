// kz: sm 80
// hgemm 02: mma.sync
//
// Idea     wmma hides where a fragment's elements are. Whoever knows keeps them in registers, and loads four 8 x 8 blocks by
//          one ldmatrix.
// Change   a block has 128 x 128 of c, eight warps 64 x 32 each: 32 mma.m16n8k16 for 12 ldmatrix, and c goes from registers
//          to memory.
// Expect   four times the reuse of 01, and loads of 16 bytes.
// Limit    rows of 64 bytes: eight of them lie in four groups of banks, so an ldmatrix takes twice its wavefronts (03).

#include "gemm/mma_tile.cuh"
#include "hgemm.cuh"

#define MMA(order, a_mn, b_mn, type, In, Out)                                                                \
    KZ_ENTRY_BOUNDS(hgemm_mma_##order##_##type, THREADS, 2)                                                  \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply_staged<In, Out, a_mn, b_mn, false>(a, b, c, m, n, k);                                       \
    }
HGEMM_KERNELS(MMA)
