// kz: sm 80
// hgemm 03: swizzled shared memory
//
// Idea     a unit of 16 bytes may lie anywhere in its row, as long as its reader knows: exclusive-or its number with the
//          row's, and eight rows lie in eight groups of banks.
// Change   unit_offset of mma_tile.cuh, for stores and for ldmatrix alike. No padding, no byte more.
// Expect   one wavefront per 8 x 8 block.
// Limit    the block still loads, waits, multiplies, waits (04).

#include "gemm/mma_tile.cuh"
#include "hgemm.cuh"

#define SWIZZLE(order, a_mn, b_mn, type, In, Out)                                                            \
    KZ_ENTRY_BOUNDS(hgemm_swizzle_##order##_##type, THREADS, 2)                                              \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply_staged<In, Out, a_mn, b_mn, true>(a, b, c, m, n, k);                                        \
    }
HGEMM_KERNELS(SWIZZLE)
