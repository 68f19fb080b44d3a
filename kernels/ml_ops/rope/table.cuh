// rope: the table of cosines and sines, which a first launch writes into the workspace: a float2 for each pair of each token.
#ifndef ROPE_TABLE_CUH
#define ROPE_TABLE_CUH

#include "rope.cuh"

static __device__ __forceinline__ void rope_fill_table(const int *positions, float2 *table, size_t tokens,
                                                       unsigned pairs, double log2_step, float sign) {
    for (size_t i = kz_thread(); i < tokens * pairs; i += kz_threads()) {
        size_t token = i / pairs;
        table[i] = rope_angle(positions[token], (unsigned)(i - token * pairs), log2_step, sign);
    }
}

// The entries of N neighbouring pairs: two per load where they lie so.
struct rope_table {
    const float2 *entries;
    unsigned pairs;

    template <int N>
    __device__ __forceinline__ void take(float2 (&by)[N], size_t token, unsigned first) const {
        const float2 *from = entries + token * pairs + first;
        if (N % 2 == 0 && kz_aligned(from, 16)) {
#pragma unroll
            for (int p = 0; p < N; p += 2) {
                uint4 two = kz_load<KZ_CACHE>((const uint4 *)(from + p));
                by[p] = make_float2(__uint_as_float(two.x), __uint_as_float(two.y));
                by[(p + 1) % N] = make_float2(__uint_as_float(two.z), __uint_as_float(two.w));
            }
        } else {
#pragma unroll
            for (int p = 0; p < N; p++) by[p] = from[p];
        }
    }
};

// The first launch of the variant `idea`.
#define ROPE_TABLE_ENTRY(idea)                                                                               \
    KZ_ENTRY(rope_##idea##_table)                                                                            \
    (const int *positions, float2 *table, size_t tokens, size_t pairs, double log2_step, float sign) {       \
        rope_fill_table(positions, table, tokens, (unsigned)pairs, log2_step, sign);                         \
    }

#endif
