// gemv 03: 16-byte loads
//
// Idea     bytes in flight are what keeps DRAM busy: an H200 wants some 48 KB of them per multiprocessor.
// Change   a lane loads 16 bytes of W at once, GEMV_PACKS times before it multiplies the first. Rows that do not begin with 16 bytes go
//          02's way.
// Expect   512 adjacent bytes per load of a warp, 2 KB in flight per warp: near DRAM's bandwidth for one token.
// Limit    eight multiply-adds and as many conversions per load and token; past four tokens W is read again. DENSE alone: a packed element
//          is a fraction of a byte, and its conversion to float one by one costs more than its product.

#include "any.cuh"

// TOKENS rows of x, from `first` on, by a row of W.
template <typename T, int TOKENS>
static __device__ __forceinline__ void multiply_row(const problem<T> &p, size_t row, unsigned first) {
    const T *w = (const T *)p.w + row * p.k;
    const size_t packs = p.k / 8;
    float sum[TOKENS] = {};
    for (size_t at = kz_lane(); at < packs; at += GEMV_PACKS * KZ_WARP) {
        kz_pack<T> left[GEMV_PACKS];
#pragma unroll
        for (int u = 0; u < GEMV_PACKS; u++) {
            left[u].raw = make_uint4(0, 0, 0, 0);
            if (at + u * KZ_WARP < packs) left[u] = kz_load_pack<KZ_STREAM>(w + 8 * (at + u * KZ_WARP));
        }
#pragma unroll
        for (int u = 0; u < GEMV_PACKS; u++)
#pragma unroll
            for (int a = 0; a < TOKENS; a++)
                if (at + u * KZ_WARP < packs && first + a < p.m) {
                    kz_pack<T> right =
                        kz_load_pack<KZ_CACHE>(p.x + (first + a) * p.k + 8 * (at + u * KZ_WARP));
#pragma unroll
                    for (int e = 0; e < 8; e++) sum[a] += kz_widen(left[u].at[e]) * kz_widen(right.at[e]);
                }
    }
#pragma unroll
    for (int a = 0; a < TOKENS; a++) {
        for (int step = KZ_WARP / 2; step > 0; step /= 2)
            sum[a] += __shfl_xor_sync(KZ_ALL_LANES, sum[a], step);
        if (kz_lane() == 0 && first + a < p.m) kz_narrow(&p.y[(first + a) * p.n + row], sum[a]);
    }
}

template <typename T> static __device__ __forceinline__ void multiply_vector(const problem<T> &p) {
    if (!is_aligned(p)) {
        multiply_anywhere<DENSE>(p);
        return;
    }
    for (size_t row = kz_thread() / KZ_WARP; row < p.n; row += kz_threads() / KZ_WARP) {
        if (p.m == 1) {
            multiply_row<T, 1>(p, row, 0);
            continue;
        }
        for (unsigned first = 0; first < p.m; first += GEMV_PASS) multiply_row<T, GEMV_PASS>(p, row, first);
    }
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(gemv_vector_dense_##type)                                                                       \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k) {                        \
        multiply_vector(problem<T>{w, scale, x, y, (unsigned)m, n, k});                                      \
    }
GEMV_TYPES(ENTRY)
