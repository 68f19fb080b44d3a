// transformer_block 01: composed
//
// Idea     the zoo's families one after another, in one plan: norms, products, rope, attention, swiglu and their backward passes.
// Change   the first version. Its own kernels multiply gates with values, and add two gradients that meet.
// Expect   the time of its parts; products are most of it.
// Limit    what lies between the parts crosses memory: some fusions are worth more than any part's last per cent.

#include "kz/device/activation.cuh"

// y = a + b, sums of floats: 16 bytes at a time where that is possible.
template <typename T> static __device__ __forceinline__ void add(const T *a, const T *b, T *y, size_t n) {
    enum { PACK = 16 / sizeof(T) };
    size_t first = kz_thread(), step = kz_threads(), packs = 0;
    if (kz_aligned(a, 16) && kz_aligned(b, 16) && kz_aligned(y, 16)) packs = n / PACK;
    for (size_t i = first; i < packs; i += step) {
        kz_pack<T> left = kz_load_pack<KZ_CACHE>(a + i * PACK), right = kz_load_pack<KZ_CACHE>(b + i * PACK),
                   sum;
#pragma unroll
        for (int e = 0; e < PACK; e++) kz_narrow(&sum.at[e], kz_widen(left.at[e]) + kz_widen(right.at[e]));
        kz_store_pack<KZ_CACHE>(y + i * PACK, sum);
    }
    for (size_t i = packs * PACK + first; i < n; i += step) kz_narrow(&y[i], kz_widen(a[i]) + kz_widen(b[i]));
}

// a = silu(g) u, of n pairs of g and u.
template <typename T> static __device__ __forceinline__ T gated(T g, T u) {
    T a;
    kz_narrow(&a, kz_silu(kz_widen(g)) * kz_widen(u));
    return a;
}
template <typename T> static __device__ __forceinline__ void swiglu(const T *gu, T *a, size_t n) {
    enum { PACK = 16 / sizeof(T) };
    size_t first = kz_thread(), step = kz_threads(), packs = 0;
    if (kz_aligned(gu, 16) && kz_aligned(a, 16)) packs = n / PACK;
    for (size_t i = first; i < packs; i += step) {
        kz_pack<T> low = kz_load_pack<KZ_CACHE>(gu + 2 * i * PACK),
                   high = kz_load_pack<KZ_CACHE>(gu + (2 * i + 1) * PACK), result;
#pragma unroll
        for (int e = 0; e < PACK / 2; e++) {
            result.at[e] = gated(low.at[2 * e], low.at[2 * e + 1]);
            result.at[PACK / 2 + e] = gated(high.at[2 * e], high.at[2 * e + 1]);
        }
        kz_store_pack<KZ_CACHE>(a + i * PACK, result);
    }
    for (size_t i = packs * PACK + first; i < n; i += step) a[i] = gated(gu[2 * i], gu[2 * i + 1]);
}

// The gradients of such pairs: dg = da u silu'(g), du = da silu(g).
template <typename T> static __device__ __forceinline__ void ungated(T g, T u, T da, T *dg, T *du) {
    kz_value_slope silu = kz_silu_both(kz_widen(g));
    kz_narrow(dg, kz_widen(da) * kz_widen(u) * silu.slope);
    kz_narrow(du, kz_widen(da) * silu.value);
}
template <typename T>
static __device__ __forceinline__ void swiglu_back(const T *gu, const T *da, T *dgu, size_t n) {
    enum { PACK = 16 / sizeof(T) };
    size_t first = kz_thread(), step = kz_threads(), packs = 0;
    if (kz_aligned(gu, 16) && kz_aligned(da, 16) && kz_aligned(dgu, 16)) packs = n / PACK;
    for (size_t i = first; i < packs; i += step) {
        kz_pack<T> pairs[2], from = kz_load_pack<KZ_CACHE>(da + i * PACK), to[2];
        pairs[0] = kz_load_pack<KZ_CACHE>(gu + 2 * i * PACK);
        pairs[1] = kz_load_pack<KZ_CACHE>(gu + (2 * i + 1) * PACK);
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            const kz_pack<T> &pair = pairs[e / (PACK / 2)];
            int at = e % (PACK / 2) * 2;
            ungated(pair.at[at], pair.at[at + 1], from.at[e], &to[e / (PACK / 2)].at[at],
                    &to[e / (PACK / 2)].at[at + 1]);
        }
        kz_store_pack<KZ_CACHE>(dgu + 2 * i * PACK, to[0]);
        kz_store_pack<KZ_CACHE>(dgu + (2 * i + 1) * PACK, to[1]);
    }
    for (size_t i = packs * PACK + first; i < n; i += step)
        ungated(gu[2 * i], gu[2 * i + 1], da[i], &dgu[2 * i], &dgu[2 * i + 1]);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(transformer_block_composed_add_##type)(const T *a, const T *b, T *y, size_t n) {                \
        add(a, b, y, n);                                                                                     \
    }                                                                                                        \
    KZ_ENTRY(transformer_block_composed_swiglu_##type)(const T *gu, T *a, size_t n) { swiglu(gu, a, n); }    \
    KZ_ENTRY(transformer_block_composed_swiglu_back_##type)(const T *gu, const T *da, T *dgu, size_t n) {    \
        swiglu_back(gu, da, dgu, n);                                                                         \
    }
ENTRY(f32, float)
ENTRY(f16, kz_f16)
ENTRY(bf16, kz_bf16)
