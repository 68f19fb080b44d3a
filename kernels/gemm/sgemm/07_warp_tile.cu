// sgemm 07: tiles for warps
//
// Idea     what a warp reads from shared memory follows from the shape of its tile: 2 x 16 threads of 8 x 8
//          read 16 + 128 numbers per k in 06. A squarer tile reads less, and so does a larger one.
// Change   a warp has 64 x 64 elements, a thread 8 x 16 of them. a's tile is no longer transposed: a quad along k
//          holds four steps for one row. A block is 4 warps, 128 x 128, and two blocks share a
//          multiprocessor.
// Expect   24 loads of 16 bytes for 512 multiply-adds: 95.5% of these instructions multiply.
// Limit    the tile is loaded, then multiplied: only the other block's warps fill the gap (see 08).

#include "tile.cuh"
#include "tune.h"

typedef shape<SGEMM_WARP_DOWN, SGEMM_WARP_ACROSS, 4, SGEMM_WARP_DEPTH> S;
enum {
    A_LINE = S::DEPTH / 4, // quads in a row of a's tile, and of b's
    B_LINE = S::WIDTH / 4,
    A_QUADS = S::HEIGHT * A_LINE / S::THREADS, // of a thread
    B_QUADS = S::DEPTH * B_LINE / S::THREADS,
};

// All loads come before the first store, so that they are in flight together.
static __device__ __forceinline__ void load_quads(const float *a, const float *b, size_t m, size_t n,
                                                  size_t k, corner tile, size_t at, float *chunk) {
    float4 from_a[A_QUADS], from_b[B_QUADS];
#pragma unroll
    for (int i = 0; i < A_QUADS; i++) {
        unsigned index = threadIdx.x + i * S::THREADS;
        size_t row = tile.row + index / A_LINE, x = at + index % A_LINE * 4;
        from_a[i] = row < m && x < k ? *(const float4 *)(a + row * k + x) : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < B_QUADS; i++) {
        unsigned index = threadIdx.x + i * S::THREADS;
        size_t x = at + index / B_LINE, column = tile.column + index % B_LINE * 4;
        from_b[i] = x < k && column < n ? *(const float4 *)(b + x * n + column) : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < A_QUADS; i++) {
        unsigned index = threadIdx.x + i * S::THREADS;
        *(float4 *)(chunk + index / A_LINE * S::PITCH + index % A_LINE * 4) = from_a[i];
    }
#pragma unroll
    for (int i = 0; i < B_QUADS; i++)
        *(float4 *)(chunk + S::A_FLOATS + (threadIdx.x + i * S::THREADS) * 4) = from_b[i];
}

static __device__ void load_elements(const float *a, const float *b, size_t m, size_t n, size_t k,
                                     corner tile, size_t at, float *chunk) {
    for (unsigned i = threadIdx.x; i < S::HEIGHT * S::DEPTH; i += S::THREADS) {
        unsigned row = i / S::DEPTH, x = i % S::DEPTH;
        chunk[row * S::PITCH + x] = element(a, m, k, tile.row + row, at + x);
    }
    for (unsigned i = threadIdx.x; i < S::DEPTH * S::WIDTH; i += S::THREADS)
        chunk[S::A_FLOATS + i] = element(b, k, n, at + i / S::WIDTH, tile.column + i % S::WIDTH);
}

KZ_ENTRY_BOUNDS(sgemm_warp_tile_gemm_f32, S::THREADS, SGEMM_WARP_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    __shared__ __align__(16) float chunk[S::STAGE_FLOATS];
    corner tile = find_grouped_tile(blockIdx.x, m, n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
    bool quads = has_quads(a, k) && has_quads(b, n);
    thread_tile<S> at;
    registers<S> values;
    clear(values);
    for (size_t x = 0; x < k; x += S::DEPTH) {
        if (quads)
            load_quads(a, b, m, n, k, tile, x, chunk);
        else
            load_elements(a, b, m, n, k, tile, x, chunk);
        __syncthreads();
        unsigned left = at.a(kz_shared_address(chunk)), right = at.b(kz_shared_address(chunk));
        read_first<S>(values, left, right);
        multiply_inner<S, 1>(values, left, right);
        multiply_three<S>(values, right);
        multiply_fourth<S>(values, left, right); // reads ahead for nobody
        __syncthreads();
    }
    write_tile<S>(values, c, m, n, tile, at);
}
