// kz: sm 80
// hgemm 04: asynchronous copies
//
// Idea     cp.async moves 16 bytes from global to shared memory without registers, and nobody waits for it.
// Change   four stages: while one is multiplied, three are on their way; one barrier per chunk.
// Expect   the tensor cores' mma.sync rate, wherever rows are whole units of 16 bytes.
// Limit    mma.sync: it reads operands from registers, and reaches some 60% of what Hopper's tensor cores can (05). Odd rows
//          go by single elements.

#include "gemm/mma_tile.cuh"
#include "hgemm.cuh"

template <typename In, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply(const In *a, const In *b, Out *c, size_t m, size_t n,
                                                size_t k) {
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    multiply_async<HGEMM_MMA_STAGES, In, float, Out, a_mn, b_mn>(a, b, c, m, n, k, row, column);
}

#define ASYNC_COPY(order, a_mn, b_mn, type, In, Out)                                                         \
    KZ_ENTRY_BOUNDS(hgemm_async_copy_##order##_##type, THREADS, 2)                                           \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply<In, Out, a_mn, b_mn>(a, b, c, m, n, k);                                                     \
    }
HGEMM_KERNELS(ASYNC_COPY)
