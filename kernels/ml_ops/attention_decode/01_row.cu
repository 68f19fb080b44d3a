// attention_decode 01: a block per row
//
// Idea     a query needs each key once: its score goes into a running (greatest, sum) and its value into a running sum, which
//          are rescaled where a greater score comes (online softmax, Milakov and Gimelshein 2018). No scores in memory.
// Change   the first version on the GPU. A block per query of a head; its warps take every fourth key, a lane every 32nd number.
// Expect   one pass over keys and values; loads of 64 or 128 bytes per warp.
// Limit    heads that share keys read them once each: 8 times for a group of 8. One key at a time per warp: its load, a
//          sum over lanes, an exponential, one after the other. One long sequence has as many blocks as heads.

#include "decode.cuh"

enum { NUMBERS = MOST_DIMENSION / KZ_WARP };

struct part {
    float greatest, sum, out[NUMBERS];
};

static __device__ __forceinline__ void add_key(part &s, float score, const float (&v)[NUMBERS]) {
    float greatest = fmaxf(s.greatest, score), base = base_of(greatest);
    float before = power_of_two(s.greatest - base), weight = power_of_two(score - base);
    s.greatest = greatest;
    s.sum = s.sum * before + weight;
#pragma unroll
    for (int i = 0; i < NUMBERS; i++) s.out[i] = s.out[i] * before + weight * v[i];
}

template <typename C>
static __device__ __forceinline__ void load_row(const C *from, size_t dimension, float (&to)[NUMBERS]) {
#pragma unroll
    for (int i = 0; i < NUMBERS; i++) {
        size_t d = kz_lane() + i * KZ_WARP;
        to[i] = d < dimension ? kz_widen(from[d]) : 0.0f;
    }
}

template <typename T, typename C>
static __device__ __forceinline__ part fold(const decode<T, C> &p, size_t b, size_t head, size_t query) {
    part s = {MINUS_INFINITY, 0.0f, {}};
    size_t kv_head = head / (p.heads / p.kv_heads), later = p.queries - 1 - query;
    unsigned length = length_of(p, b), seen = length > later ? length - (unsigned)later : 0;
    float q[NUMBERS], row[NUMBERS], scale = score_scale(p, kv_head);
    load_row(p.q + row_at(p.q_at, b, head, query), p.dimension, q);
    for (unsigned key = kz_warp(); key < seen; key += WARPS) {
        size_t at = cache_row(p, b, kv_head, key);
        load_row(p.k + at, p.dimension, row);
        float score = 0.0f;
#pragma unroll
        for (int i = 0; i < NUMBERS; i++) score += q[i] * row[i];
#pragma unroll
        for (int step = KZ_WARP / 2; step > 0; step /= 2) score += __shfl_xor_sync(KZ_ALL_LANES, score, step);
        load_row(p.v + at, p.dimension, row);
        add_key(s, score * scale, row);
    }
    return s;
}

template <typename T, typename C> static __device__ __forceinline__ void attend(const decode<T, C> &p) {
    __shared__ float greatest[WARPS], sum[WARPS], out[WARPS][MOST_DIMENSION];
    size_t query = blockIdx.x % p.queries, head = blockIdx.x / p.queries % p.heads,
           b = blockIdx.x / p.queries / p.heads;
    part s = fold(p, b, head, query);
    unsigned warp = kz_warp();
    if (kz_lane() == 0) greatest[warp] = s.greatest, sum[warp] = s.sum; // the same in all lanes
#pragma unroll
    for (int i = 0; i < NUMBERS; i++) out[warp][kz_lane() + i * KZ_WARP] = s.out[i];
    __syncthreads();
    float most = MINUS_INFINITY, total = 0.0f, factor[WARPS];
#pragma unroll
    for (int w = 0; w < WARPS; w++) most = fmaxf(most, greatest[w]);
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        factor[w] = power_of_two(greatest[w] - base_of(most));
        total += sum[w] * factor[w];
    }
    float share = total == 0.0f ? 0.0f : value_scale(p, head / (p.heads / p.kv_heads)) / total;
    T *to = p.out + row_at(p.out_at, b, head, query);
    for (size_t d = threadIdx.x; d < p.dimension; d += blockDim.x) {
        float value = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; w++) value += out[w][d] * factor[w];
        kz_narrow(&to[d], value * share);
    }
    if (p.lse && threadIdx.x == 0) p.lse[blockIdx.x] = lse_of(most, total);
}

#define ENTRY(operation, type, T, C)                                                                         \
    KZ_ENTRY(attention_decode_row_##operation##_##type)(DECODE_PARAMETERS(T, C)) { attend(DECODE_OF(T, C)); }
DECODE_TYPES(ENTRY)
