// hgemm 14: without tensor cores
//
// Idea     a GPU whose tensor cores do not have the type (bf16 before sm_80) still has to multiply.
// Change   sgemm's shared tiles: 32 x 32 of c per block, four elements per thread, factors widened to floats as they are staged.
// Expect   what FFMA and shared memory give.
// Limit    it is a fallback, and stays simple.

#include "hgemm.cuh"

enum { SIDE = HGEMM_CORES_TILE, THREADS = 256, EACH = SIDE * SIDE / THREADS };

// SIDE rows of an operand, SIDE of k: to[k][row], zero where the matrix ends.
template <bool mn, typename T>
static __device__ void stage(float to[SIDE][SIDE + 1], const operand<T> &from, size_t row, size_t k) {
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        unsigned outer = i / SIDE, inner = i % SIDE, r = mn ? inner : outer, d = mn ? outer : inner;
        size_t y = (mn ? k : row) + outer, x = (mn ? row : k) + inner;
        to[d][r] = y < from.outer && x < from.inner ? kz_widen(from.at[y * from.inner + x]) : 0.0f;
    }
}

template <typename In, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply(const In *a_at, const In *b_at, Out *c, size_t m, size_t n,
                                                size_t k) {
    __shared__ float a_tile[SIDE][SIDE + 1], b_tile[SIDE][SIDE + 1];
    operand<In> a = operand_of<a_mn>(a_at, m, k), b = operand_of<b_mn>(b_at, n, k);
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    unsigned across = threadIdx.x % SIDE, down = threadIdx.x / SIDE * EACH;
    float sums[EACH] = {};
    for (size_t at = 0; at < k; at += SIDE) {
        stage<a_mn>(a_tile, a, row, at);
        stage<b_mn>(b_tile, b, column, at);
        __syncthreads();
        for (int x = 0; x < SIDE; x++)
#pragma unroll
            for (int i = 0; i < EACH; i++) sums[i] += a_tile[x][down + i] * b_tile[x][across];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (row + down + i < m && column + across < n)
            kz_narrow(&c[(row + down + i) * n + column + across], sums[i]);
}

#define CUDA_CORES(order, a_mn, b_mn, type, In, Out)                                                         \
    KZ_ENTRY_BOUNDS(hgemm_cuda_cores_##order##_##type, THREADS, 4)                                           \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply<In, Out, a_mn, b_mn>(a, b, c, m, n, k);                                                     \
    }
HGEMM_KERNELS(CUDA_CORES)
