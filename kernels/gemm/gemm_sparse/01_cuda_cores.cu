// gemm_sparse 01: without tensor cores
//
// Idea     every GPU multiplies floats; half as many products are half the time, if b's elements are found quickly.
// Change   the first version: shared tiles, 32 x 32 of c per block, four elements per thread. A warp works on one row of a at a
//          time: all lanes need the same row of b's tile, so what is kept is found without a bank conflict.
// Expect   what FFMA and shared memory give.
// Limit    a tensor core does more than ten times as much: this is what everything else falls back to.

#include "kz/kernel.cuh"
#include "storage.h"
#include "tune.h"

enum {
    SIDE = GEMM_SPARSE_CORES_TILE,
    THREADS = GEMM_SPARSE_CORES_THREADS,
    EACH = SIDE * SIDE / THREADS,
    KEPT = SIDE / 2,
};

// A stored element, and the row of b's tile that it goes with.
struct kept {
    float value;
    unsigned at;
};

template <typename T>
static __device__ void stage_a(kept to[KEPT][SIDE + 1], const T *values, const uint32_t *metadata, size_t m,
                               size_t steps, size_t row, size_t k) {
    for (unsigned i = threadIdx.x; i < SIDE * KEPT; i += THREADS) {
        size_t y = row + i / KEPT, x = k / 2 + i % KEPT;
        kept &element = to[i % KEPT][i / KEPT];
        element = {0.0f, 0};
        if (y >= m) continue;
        unsigned code = metadata[GEMM_SPARSE_WORD(y, x / 2, steps)] >> GEMM_SPARSE_BIT(y, x / 2);
        unsigned place = x % 2 ? code >> 2 & 3 : code & 3;
        element = {kz_widen(values[y * steps * GEMM_SPARSE_KEPT + x]), i % KEPT / 2 * 4 + place};
    }
}

// Past the end of b are zeros, as past that of a's rows.
template <typename T>
static __device__ void stage_b(float to[SIDE][SIDE + 1], const T *b, size_t n, size_t k, size_t column,
                               size_t at) {
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        size_t y = column + i / SIDE, x = at + i % SIDE;
        to[i % SIDE][i / SIDE] = y < n && x < k ? kz_widen(b[y * k + x]) : 0.0f;
    }
}

template <typename T>
static __device__ __forceinline__ void multiply(const T *values, const uint32_t *metadata, const T *b, T *c,
                                                size_t m, size_t n, size_t k) {
    __shared__ kept a_tile[KEPT][SIDE + 1];
    __shared__ float b_tile[SIDE][SIDE + 1];
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    size_t steps = (k + GEMM_SPARSE_DEPTH - 1) / GEMM_SPARSE_DEPTH;
    unsigned across = threadIdx.x % SIDE, down = threadIdx.x / SIDE * EACH;
    float sums[EACH] = {};
    for (size_t at = 0; at < k; at += SIDE) {
        stage_a(a_tile, values, metadata, m, steps, row, at);
        stage_b(b_tile, b, n, k, column, at);
        __syncthreads();
        for (int x = 0; x < KEPT; x++)
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                kept element = a_tile[x][down + i];
                sums[i] += element.value * b_tile[element.at][across];
            }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (row + down + i < m && column + across < n)
            kz_narrow(&c[(row + down + i) * n + column + across], sums[i]);
}

#define CUDA_CORES(type, T)                                                                                  \
    KZ_ENTRY_BOUNDS(gemm_sparse_cuda_cores_nt_##type, THREADS, 4)                                            \
    (const T *values, const uint32_t *metadata, const T *b, T *c, size_t m, size_t n, size_t k) {            \
        multiply(values, metadata, b, c, m, n, k);                                                           \
    }
CUDA_CORES(bf16, kz_bf16)
CUDA_CORES(f16, kz_f16)
