// sampling: what the variants share: keys and weights of tokens, and a row, or a slice of one, read by packs.
//
// A token's weight is an integer: 2^31 exp((logit - greatest) / temperature), rounded down. So sums are exact, and the same
// in any order: every variant draws the same token. NaN and -Inf have weight 0 and are never drawn; logits equal to the
// greatest have 2^31, be it +Inf.
#ifndef SAMPLING_CUH
#define SAMPLING_CUH

#include "draw.cuh"
#include "kz/device/ordered_key.cuh"
#include "tune.h"

typedef unsigned long long mass; // a sum of weights
enum : unsigned { WHOLE = 1u << 31 };
enum : int { NO_TOKEN = -1 };

// In the order of logits; NaN has the least, 0.
template <typename T> static __device__ __forceinline__ uint32_t token_key(T x) {
    uint32_t key = kz_ordered_key(x);
    return key == kz_key_most<T>() ? 0 : key;
}
template <typename T> static __device__ __forceinline__ float value_of_key(uint32_t key) {
    T x;
    kz_from_bits(&x, kz_bits_of_key<T>(key));
    return kz_widen(x);
}

// A bound's logit: -Inf where every token passes.
template <typename T> static __device__ __forceinline__ float logit_of_bound(uint32_t key) {
    return value_of_key<T>(max(key, kz_key_of_minus_infinity<T>()));
}
// Of the number of the type that is nearest.
template <typename T> static __device__ __forceinline__ uint32_t key_of_number(float number) {
    T x;
    kz_narrow(&x, number);
    return token_key(x);
}

// What a draw is asked for. `scale` is log2(e) / temperature.
typedef struct filters {
    float scale, top_p;
    unsigned top_k, least; // least: of weights, by min_p
} filters;

static __device__ __forceinline__ filters make_filters(size_t top_k, size_t vocabulary, float mass_share,
                                                       float least, float scale) {
    filters f = {scale, mass_share, 0, max(__float2uint_ru(least * (float)WHOLE), 1u)};
    if (top_k < vocabulary) f.top_k = (unsigned)top_k;
    return f;
}

template <typename T> static __device__ __forceinline__ unsigned weight_of(T x, float most, float scale) {
    float logit = kz_widen(x), power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"((logit - most) * scale));
    return logit == most ? (unsigned)WHOLE : __float2uint_rz(power * (float)WHOLE); // of NaN: 0
}

// The least sum that is the share of `all`, and more than nothing.
static __device__ __forceinline__ mass needed_share(float share, mass all) {
    return max((mass)ceil((double)share * (double)all), (mass)1);
}

// ---- a slice of a row --------------------------------------------------------------------------------------

// Tokens begin to begin + count of a row; `at` points at the first, in global or in shared memory.
template <typename T> struct slice {
    const T *at;
    unsigned begin, count;
};

// Packs of 16 bytes that it touches, and elements of the first one that come before it.
template <typename T> static __device__ __forceinline__ unsigned skew_of(slice<T> s) {
    return (unsigned)((size_t)s.at % 16 / sizeof(T));
}
template <typename T> static __device__ __forceinline__ unsigned packs_of(slice<T> s) {
    constexpr unsigned EACH = 16 / sizeof(T);
    return (s.count + skew_of(s) + EACH - 1) / EACH;
}

// A pack of it; NaN, which counts for nothing, in the places that are not its own.
template <typename T> static __device__ __forceinline__ kz_pack<T> load_of(slice<T> s, unsigned p) {
    constexpr unsigned EACH = 16 / sizeof(T);
    unsigned first = p * EACH - skew_of(s); // of the first pack it may wrap around
    kz_pack<T> pack;
    if (first < s.count && first + EACH <= s.count) {
        pack.raw = *(const uint4 *)(s.at + first);
        return pack;
    }
#pragma unroll
    for (unsigned e = 0; e < EACH; e++) {
        kz_from_bits(&pack.at[e], kz_key_most<T>());
        if (first + e < s.count) pack.at[e] = s.at[first + e];
    }
    return pack;
}

// visit(pack, p) for the packs begin, begin + stride and so on, below end; several loads are in flight before the first use.
template <typename T, typename Visit>
static __device__ __forceinline__ void visit_packs(slice<T> s, unsigned begin, unsigned end, unsigned stride,
                                                   Visit visit) {
    for (unsigned base = begin; base < end; base += SAMPLING_AHEAD * stride) {
        kz_pack<T> ahead[SAMPLING_AHEAD];
#pragma unroll
        for (unsigned a = 0; a < SAMPLING_AHEAD; a++) ahead[a] = load_of(s, min(base + a * stride, end - 1));
#pragma unroll
        for (unsigned a = 0; a < SAMPLING_AHEAD; a++)
            if (base + a * stride < end) visit(ahead[a], base + a * stride);
    }
}

// visit(x) for each of its elements, by all threads of a block; for the places around it NaN comes.
template <typename T, typename Visit>
static __device__ __forceinline__ void visit_block(slice<T> s, Visit visit) {
    visit_packs(s, threadIdx.x, packs_of(s), blockDim.x, [&](kz_pack<T> pack, unsigned) {
#pragma unroll
        for (unsigned e = 0; e < 16 / sizeof(T); e++) visit(pack.at[e]);
    });
}

// ENTRY(type, T) for the types of the family.
#define SAMPLING_TYPES(ENTRY)                                                                                \
    ENTRY(f32, float)                                                                                        \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)

// A guest's parameters.
#define SAMPLE_PARAMETERS(T)                                                                                 \
    const T *logits, int *token, const long long *step, size_t rows, size_t vocabulary, size_t top_k,        \
        float top_share, float least, float scale, unsigned long long seed
#define GREEDY_PARAMETERS(T) const T *logits, int *token, size_t rows, size_t vocabulary

#endif
