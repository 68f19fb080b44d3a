// Products and epilogues without the frame of kz/device/gemm.cuh: on CUDA cores, for any GPU and shape, and an epilogue's steps
// as a kernel of their own. A warp has 16 rows of c, four sums per lane for each 8 columns, as tensor cores have them.
#ifndef KZ_GEMM_PLAIN_CUH
#define KZ_GEMM_PLAIN_CUH

#include "kz/device/epilogue.cuh"
#include "kz/device/gemm_shape.h"

// The tile that is this warp's; the place of this lane's first pair. False where there is none.
static __device__ __forceinline__ bool kz_plain_tile(kz_position &first, size_t m, size_t n, int width,
                                                     bool even) {
    size_t across = (n + width - 1) / width, tile = kz_thread() / KZ_WARP;
    int row = (int)(tile / across * 16 + kz_lane() / 4),
        column = (int)(tile % across * width + kz_lane() % 4 * 2);
    first = {row, column, 0, (int)m, (int)n, 0, 2, false, false, even};
    return tile / across < (m + 15) / 16;
}

// Sums of 16 rows and 8 columns from `first` on.
template <typename E, typename Out>
static __device__ __forceinline__ void kz_plain_store(E &epilogue, const kz_position &first,
                                                      const float *sums, Out *c) {
    for (int slot = 0; slot < 2; slot++) {
        kz_position at = first;
        at.m += kz_slot_row(slot), at.slot = slot;
        kz_pair v = {sums[2 * slot], sums[2 * slot + 1]};
        epilogue.apply(v, at);
        if (at.inside(0)) kz_narrow(&c[(size_t)at.row(0) * at.columns + at.column(0)], v.x);
        if (at.inside(1)) kz_narrow(&c[(size_t)at.row(1) * at.columns + at.column(1)], v.y);
    }
}

// c = epilogue(a * b): a is m x k, b k x n (b_mn) or n x k. A warp for each 16 x KZ_PLAIN_WIDTH of the product.
template <bool b_mn, typename T, typename Out, typename E>
static __device__ __forceinline__ void kz_plain_gemm(const T *a, const T *b, Out *c, size_t m, size_t n,
                                                     size_t k, E epilogue) {
    kz_position at;
    if (!kz_plain_tile(at, m, n, KZ_PLAIN_WIDTH, false)) return;
    size_t rows[2], columns[2];
    for (int i = 0; i < 2; i++) {
        rows[i] = min((size_t)at.m + kz_slot_row(i), m - 1);
        columns[i] = min((size_t)at.n + i, n - 1);
    }
    float sums[4] = {0.0f};
    for (size_t x = 0; x < k; x++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            size_t column = columns[i % 2];
            sums[i] += kz_widen(a[rows[i / 2] * k + x]) * kz_widen(b[b_mn ? x * n + column : column * k + x]);
        }
    epilogue.begin(at);
    kz_plain_store(epilogue, at, sums, c);
    epilogue.end(at);
}

// c = epilogue(sums), sums m x n; n is a multiple of 4. A warp for each 16 x KZ_PASS_WIDTH.
template <typename Out, typename E>
static __device__ __forceinline__ void kz_plain_pass(const float *sums, Out *c, size_t m, size_t n,
                                                     E epilogue) {
    kz_position first;
    if (!kz_plain_tile(first, m, n, KZ_PASS_WIDTH, true)) return;
    const kz_matrix<float> product = {sums, n, 0};
    float values[KZ_PASS_WIDTH / 2];
#pragma unroll
    for (int i = 0; i < KZ_PASS_WIDTH / 2; i += 2) {
        kz_position at = first;
        at.n += i / 4 * 8, at.m += kz_slot_row(i / 2 % 2);
        kz_pair v = kz_load_by_element(product, at);
        values[i] = v.x, values[i + 1] = v.y;
    }
    epilogue.begin(first);
#pragma unroll
    for (int i = 0; i < KZ_PASS_WIDTH / 2; i += 4) {
        kz_position at = first;
        at.n += i / 4 * 8;
        kz_plain_store(epilogue, at, values + i, c);
    }
    epilogue.end(first);
}

#endif
