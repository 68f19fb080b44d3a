// transformer_block 01: composed
//
// Idea     the zoo's families one after another, in one plan: norms, products, rope, attention, swiglu and their backward passes.
// Change   the first version. Its own kernel adds two gradients that meet.
// Expect   the time of its parts; products are most of it.
// Limit    what lies between the parts crosses memory: some fusions are worth more than any part's last per cent.

#include "kz/kernel.cuh"

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

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(transformer_block_composed_add_##type)(const T *a, const T *b, T *y, size_t n) {                \
        add(a, b, y, n);                                                                                     \
    }
ENTRY(f32, float)
ENTRY(f16, kz_f16)
ENTRY(bf16, kz_bf16)
