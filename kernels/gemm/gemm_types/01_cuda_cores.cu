// gemm_types 01: without tensor cores
//
// Idea     every GPU multiplies floats and integers, wherever its matrices begin and however they lie.
// Change   the first version: sgemm's shared tiles, 32 x 32 of c per block, four elements per thread. Elements become floats (or
//          ints) as they are staged, times the scales of their block.
// Expect   what FFMA, IMAD and shared memory give; no type is faster than another.
// Limit    a tensor core does more than ten times as much: this is what everything else falls back to.

#include "gemm_types.cuh"

enum {
    SIDE = GEMM_TYPES_CORES_TILE,
    THREADS = GEMM_TYPES_CORES_THREADS,
    EACH = SIDE * SIDE / THREADS,
    BLOCK = GEMM_TYPES_SCALE_BLOCK // elements along k that share a scale, and rows of b
};

// SIDE rows of an operand of `rows` x k, SIDE of k: to[k][row], zero where the matrix ends.
template <typename Sum, typename In, typename Scale>
static __device__ void stage(Sum to[SIDE][SIDE + 1], const In *from, bool mn, size_t rows, size_t k,
                             size_t row, size_t at, Scale scale) {
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        unsigned outer = i / SIDE, inner = i % SIDE, r = mn ? inner : outer, d = mn ? outer : inner;
        size_t y = row + r, x = at + d;
        to[d][r] = y < rows && x < k ? scale(value_of(from[mn ? x * rows + y : y * k + x]), y, x) : (Sum)0;
    }
}

template <typename F>
static __device__ __forceinline__ void
multiply(const typename F::In *a, const typename F::In *b, typename F::Out *c, const float *scale_a,
         const float *scale_b, size_t m, size_t n, size_t k, unsigned order) {
    typedef typename F::Sum Sum;
    __shared__ Sum a_tile[SIDE][SIDE + 1], b_tile[SIDE][SIDE + 1];
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    size_t blocks = (k + BLOCK - 1) / BLOCK;
    unsigned across = threadIdx.x % SIDE, down = threadIdx.x / SIDE * EACH;
    auto of_a = [=](Sum value, size_t y, size_t x) -> Sum {
        return F::SCALES == SCALES_BLOCK ? value * scale_a[x / BLOCK * m + y] : value;
    };
    auto of_b = [=](Sum value, size_t y, size_t x) -> Sum {
        return F::SCALES == SCALES_BLOCK ? value * scale_b[y / BLOCK * blocks + x / BLOCK] : value;
    };
    Sum sums[EACH] = {};
    for (size_t at = 0; at < k; at += SIDE) {
        stage(a_tile, a, order / 2 == 1, m, k, row, at, of_a);
        stage(b_tile, b, order % 2 == 0, n, k, column, at, of_b);
        __syncthreads();
        for (int x = 0; x < SIDE; x++)
#pragma unroll
            for (int i = 0; i < EACH; i++) sums[i] += a_tile[x][down + i] * b_tile[x][across];
        __syncthreads();
    }
    Sum scale = F::SCALES == SCALES_TENSOR ? (Sum)(*scale_a * *scale_b) : (Sum)1;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (row + down + i < m && column + across < n)
            kz_narrow(&c[(row + down + i) * n + column + across], sums[i] * scale);
}

#define CUDA_CORES(F, out)                                                                                   \
    KZ_ENTRY_BOUNDS(gemm_types_cuda_cores_##F##_##out, THREADS, 4)                                           \
    (const F::In *a, const F::In *b, F::Out *c, const float *scale_a, const float *scale_b, size_t m,        \
     size_t n, size_t k, unsigned order) {                                                                   \
        multiply<F>(a, b, c, scale_a, scale_b, m, n, k, order);                                              \
    }
GEMM_TYPES_ALL(CUDA_CORES)
CUDA_CORES(f64, f64)
