// top_k: greatest of elements as they lie in memory, one or two in a word: an instruction for a word, no key needed.
//
// NaN is the greatest. Where -0 meets +0, +0 is taken: they have one key.
#ifndef TOP_K_PACKED_CUH
#define TOP_K_PACKED_CUH

#include "top_k.cuh"

template <typename T> static __device__ __forceinline__ constexpr unsigned in_word(void) {
    return 4 / sizeof(T);
}

template <typename T> static __device__ __forceinline__ uint32_t greatest(uint32_t a, uint32_t b);
template <> __device__ __forceinline__ uint32_t greatest<float>(uint32_t a, uint32_t b) {
    float most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    return __float_as_uint(most);
}
template <> __device__ __forceinline__ uint32_t greatest<kz_f16>(uint32_t a, uint32_t b) {
    uint32_t most;
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
    return most;
}
template <> __device__ __forceinline__ uint32_t greatest<kz_bf16>(uint32_t a, uint32_t b) {
    uint32_t most;
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
    return most;
}

// A number in every place of a word.
template <typename T> static __device__ __forceinline__ uint32_t in_every_place(uint32_t bits) {
    return sizeof(T) == 2 ? bits * 0x10001u : bits;
}
template <typename T> static __device__ __forceinline__ uint32_t minus_infinities(void) {
    return in_every_place<T>(kz_key_sign<T>() | kz_key_traits<T>::INFINITE);
}
// The key of place 0, or 1.
template <typename T> static __device__ __forceinline__ uint32_t key_in(uint32_t word, unsigned place) {
    return kz_ordered_key_of_bits<T>(sizeof(T) == 2 ? (word >> 16 * place) & 0xffffu : word);
}

// Whether a word holds a key of at least `bound`: the greatest of it and the number just below the bound is another number
// then. No number lies between zero and its like, nor between NaN and infinity. It may say true without need, where the
// bound is -Inf; never false without need.
template <typename T> static __device__ __forceinline__ uint32_t just_below(uint32_t bound) {
    uint32_t key = bound - 1;
    if (key == kz_key_of_zero<T>() - 1) key--;
    return in_every_place<T>(kz_bits_of_key<T>(min(key, kz_key_of_infinity<T>())));
}
template <typename T> static __device__ __forceinline__ bool may_hold(uint32_t word, uint32_t below) {
    return greatest<T>(word, below) != below;
}

// Elements first to first + 16 / sizeof(T) of a row, -Inf around it; `first` may wrap around before its begin. As one access
// where all are the row's and `whole`, which says that first is the begin of a pack.
template <typename T>
static __device__ __forceinline__ uint4 load_padded(const T *row, unsigned first, unsigned columns,
                                                    bool whole) {
    constexpr unsigned EACH = 16 / sizeof(T);
    if (whole && first < columns && first + EACH <= columns)
        return kz_load<KZ_CACHE>((const uint4 *)(row + first));
    kz_pack<T> pack;
    pack.raw = make_uint4(minus_infinities<T>(), minus_infinities<T>(), minus_infinities<T>(),
                          minus_infinities<T>());
#pragma unroll
    for (unsigned e = 0; e < EACH; e++)
        if (first + e < columns) pack.at[e] = row[first + e];
    return pack.raw;
}

#endif
