// kz: sm 80
// hgemm 01: wmma
//
// Idea     a tensor core multiplies tiles of 16 x 16 in a few clocks: a warp asks for it by three calls.
// Change   from sgemm's shared tiles: a block stages 64 x 16 of a and 16 x 64 of b, four warps take 32 x 32 of c each.
// Expect   8 products of 16 x 16 x 16 for every barrier: far above what FFMA reaches, far below the tensor cores.
// Limit    staging by single elements, one chunk at a time, and nothing multiplies while it loads (02, 04).

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "hgemm.cuh"

using namespace nvcuda;

enum { SIDE = HGEMM_WMMA_TILE, DEPTH = 16, THREADS = 128, WARP_SIDE = 32 };

template <typename T> struct native;
template <> struct native<kz_f16> { typedef __half type; };
template <> struct native<kz_bf16> { typedef __nv_bfloat16 type; };

// SIDE rows of an operand, DEPTH of k: to[row][k], zero where the matrix ends.
template <bool mn, typename T>
static __device__ void stage(T to[SIDE][DEPTH], const operand<T> &from, size_t row, size_t k) {
    for (unsigned i = threadIdx.x; i < SIDE * DEPTH; i += THREADS) {
        // Neighbouring threads read neighbouring elements of memory.
        unsigned r = mn ? i % SIDE : i / DEPTH, d = mn ? i / SIDE : i % DEPTH;
        size_t outer = mn ? k + d : row + r, inner = mn ? row + r : k + d;
        to[r][d] = outer < from.outer && inner < from.inner ? from.at[outer * from.inner + inner] : T{0};
    }
}

template <typename In, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply(const In *a_at, const In *b_at, Out *c, size_t m, size_t n,
                                                size_t k) {
    typedef typename native<In>::type half;
    __shared__ __align__(32) In a_tile[SIDE][DEPTH], b_tile[SIDE][DEPTH];
    __shared__ __align__(32) float c_tile[SIDE][SIDE];
    operand<In> a = operand_of<a_mn>(a_at, m, k), b = operand_of<b_mn>(b_at, n, k);
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    unsigned down = kz_warp() / 2 * WARP_SIDE, across = kz_warp() % 2 * WARP_SIDE;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], 0.0f);
    for (size_t at = 0; at < k; at += DEPTH) {
        stage<a_mn>(a_tile, a, row, at);
        stage<b_mn>(b_tile, b, column, at);
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right[2];
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(left[i], (const half *)a_tile[down + 16 * i], DEPTH);
            wmma::load_matrix_sync(right[i], (const half *)b_tile[across + 16 * i], DEPTH);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
        __syncthreads();
    }
    // A fragment's elements have no places that one may rely on: they go through shared memory.
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&c_tile[down + 16 * i][across + 16 * j], sums[i][j], SIDE,
                                    wmma::mem_row_major);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        size_t r = row + i / SIDE, j = column + i % SIDE;
        if (r < m && j < n) kz_narrow(&c[r * n + j], c_tile[i / SIDE][i % SIDE]);
    }
}

#define WMMA(order, a_mn, b_mn, type, In, Out)                                                               \
    KZ_ENTRY_BOUNDS(hgemm_wmma_##order##_##type, THREADS, 8)                                                 \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply<In, Out, a_mn, b_mn>(a, b, c, m, n, k);                                                     \
    }
HGEMM_KERNELS(WMMA)
