// What the kernels of attention_decode share: their parameters, where the cache keeps a token, rows of queries that share a head of
// keys, the share of a cache that a block takes, and how parts are added up.
//
// Scores are in powers of 2: scale and log2 e are one factor. A part of a sum is (greatest score, sum of weights, weighted values),
// and parts are added in an order that lengths and splits alone decide.
#ifndef ATTENTION_DECODE_CUH
#define ATTENTION_DECODE_CUH

#include "kz/device/byte_types.cuh"
#include "kz/device/last_block.cuh"
#include "tune.h"

enum { MOST_DIMENSION = 256, EIGHT = 8, WARPS = DECODE_THREADS / KZ_WARP };
#define MINUS_INFINITY __uint_as_float(0xff800000u)

// Element (batch, head, token, d) is batch * .batch + head * .head + token * .token + d elements past the address.
struct strides {
    size_t token, head, batch;
};
static __device__ __forceinline__ size_t row_at(const strides &at, size_t b, size_t head, size_t token) {
    return b * at.batch + head * at.head + token * at.token;
}

// C is what the cache is made of: T, or e4m3.
template <typename T, typename C> struct decode {
    const T *q;
    const C *k, *v;
    const int *lengths, *page_table; // page_table NULL: the cache is contiguous
    const float *k_scale, *v_scale;  // NULL: 1
    T *out;
    float *lse; // or NULL
    size_t batch, heads, kv_heads, queries, keys, dimension;
    float scale;
    size_t page, pages, table; // tokens of a page, pages of the pool, entries of a sequence
    strides q_at, kv_at, out_at;
};

// The parameters of an entry point, and the struct they make.
#define DECODE_PARAMETERS(T, C)                                                                              \
    const T *q, const C *k, const C *v, const int *lengths, const int *page_table, const float *k_scale,     \
        const float *v_scale, T *out, float *lse, size_t batch, size_t heads, size_t kv_heads,               \
        size_t queries, size_t keys, size_t dimension, float scale, size_t page, size_t pages, size_t table, \
        size_t q_token, size_t q_head, size_t q_batch, size_t kv_token, size_t kv_head, size_t kv_batch,     \
        size_t out_token, size_t out_head, size_t out_batch
#define DECODE_OF(T, C)                                                                                      \
    decode<T, C> {                                                                                           \
        q, k, v, lengths, page_table, k_scale, v_scale, out, lse, batch, heads, kv_heads, queries, keys,     \
            dimension, scale, page, pages, table, {q_token, q_head, q_batch}, {kv_token, kv_head, kv_batch}, \
        {                                                                                                    \
            out_token, out_head, out_batch                                                                   \
        }                                                                                                    \
    }

// An entry point for each type, of a cache of that type and of e4m3: X(operation, type, T, C).
#define DECODE_HALVES(X)                                                                                     \
    X(any, f16, kz_f16, kz_f16)                                                                              \
    X(any, bf16, kz_bf16, kz_bf16) X(fp8, f16, kz_f16, kz_e4m3) X(fp8, bf16, kz_bf16, kz_e4m3)
#define DECODE_TYPES(X) X(any, f32, float, float) X(fp8, f32, float, kz_e4m3) DECODE_HALVES(X)

// ---- the cache -----------------------------------------------------------------------------------------------

static __device__ __forceinline__ unsigned clamp_to(int at, size_t most) {
    return at < 0 ? 0 : (size_t)at < most ? (unsigned)at : (unsigned)most;
}

template <typename T, typename C>
static __device__ __forceinline__ unsigned length_of(const decode<T, C> &p, size_t b) {
    return clamp_to(p.lengths[b], p.keys);
}

// Where the row of a key and its value begins.
template <typename T, typename C>
static __device__ __forceinline__ size_t cache_row(const decode<T, C> &p, size_t b, size_t kv_head,
                                                   unsigned token) {
    if (!p.page_table) return row_at(p.kv_at, b, kv_head, token);
    unsigned page = token / (unsigned)p.page, in = token - page * (unsigned)p.page;
    return row_at(p.kv_at, clamp_to(p.page_table[b * p.table + page], p.pages - 1), kv_head, in);
}

// ---- scores ----------------------------------------------------------------------------------------------------

// 2^x, for x <= 0 and NaN; below 2^-126 it is 0.
static __device__ __forceinline__ float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}
// What scores are subtracted from: the greatest, or 0 where all are -Inf, for -Inf - -Inf is NaN.
static __device__ __forceinline__ float base_of(float greatest) {
    return greatest == MINUS_INFINITY ? 0.0f : greatest;
}
template <typename T, typename C>
static __device__ __forceinline__ float score_scale(const decode<T, C> &p, size_t kv_head) {
    return p.scale * (p.k_scale ? p.k_scale[kv_head] : 1.0f) * 1.44269504f;
}
template <typename T, typename C>
static __device__ __forceinline__ float value_scale(const decode<T, C> &p, size_t kv_head) {
    return p.v_scale ? p.v_scale[kv_head] : 1.0f;
}
static __device__ __forceinline__ float lse_of(float greatest, float sum) {
    return sum == 0.0f ? MINUS_INFINITY : (greatest + log2f(sum)) * 0.693147181f;
}

#endif
