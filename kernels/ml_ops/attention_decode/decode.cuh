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

// 2^x; below 2^-126 it is 0.
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

// ---- tiles and shares --------------------------------------------------------------------------------------------

// A block's work: up to R rows of queries, row i being query i / group of the i % group'th head of those that share the keys, and
// the keys [first, end) of their sequence.
struct tile {
    size_t b, kv_head, group, queries;
    unsigned row, rows;          // of all rows that share the keys
    unsigned length, first, end; // of the sequence; the block's share
    unsigned index, split, used; // which tile, which share of its cache, of so many that are not empty
};

// The split follows from the length alone, and does not depend on how the cache is kept: multiples of DECODE_TILE, DECODE_LEAST
// keys at least. A length of 0 leaves one share, of no keys.
static __device__ __forceinline__ void share_keys(tile &t, unsigned splits) {
    unsigned each = max((t.length + splits - 1) / splits, (unsigned)DECODE_LEAST);
    each = (each + DECODE_TILE - 1) / DECODE_TILE * DECODE_TILE;
    t.used = max((t.length + each - 1) / each, 1u);
    t.first = min(t.split * each, t.length);
    t.end = min(t.first + each, t.length);
}

template <int R, typename T, typename C>
static __device__ __forceinline__ tile tile_of(const decode<T, C> &p, unsigned at, unsigned splits) {
    tile t;
    t.group = p.heads / p.kv_heads;
    t.queries = p.queries;
    unsigned all = (unsigned)(t.group * p.queries), tiles = (all + R - 1) / R;
    t.split = at % splits;
    t.index = at / splits;
    t.row = t.index % tiles * R;
    t.rows = min(all - t.row, (unsigned)R);
    t.kv_head = t.index / tiles % p.kv_heads;
    t.b = t.index / tiles / p.kv_heads;
    t.length = length_of(p, t.b);
    share_keys(t, splits);
    return t;
}

static __device__ __forceinline__ size_t query_of(const tile &t, unsigned row) {
    return (t.row + row) / t.group;
}
static __device__ __forceinline__ size_t head_of(const tile &t, unsigned row) {
    return t.kv_head * t.group + (t.row + row) % t.group;
}
// Keys that the tile's row sees: the sequence's first ones.
static __device__ __forceinline__ unsigned seen_by(const tile &t, unsigned row) {
    if (row >= t.rows) return 0;
    unsigned later = (unsigned)(t.queries - 1 - query_of(t, row));
    return t.length > later ? t.length - later : 0;
}

// ---- parts -------------------------------------------------------------------------------------------------------

// Parts of R rows in memory: of each part weighted values of `dimension` numbers for each row, then the rows' greatest scores
// and sums, which may have been copied elsewhere.
template <int R> struct parts {
    float *at;
    size_t dimension;
    float *statistics; // those of part 0, and how many floats from a part's to the next's
    size_t step;
    __device__ __forceinline__ parts(float *at_, size_t dimension_)
        : at(at_), dimension(dimension_), statistics(at_ + R * dimension_), step(size()) {}
    __device__ __forceinline__ size_t size(void) const { return DECODE_PART(R, dimension); } // floats
    __device__ __forceinline__ float *out(unsigned part, unsigned row) const {
        return at + part * size() + row * dimension;
    }
    __device__ __forceinline__ float &greatest(unsigned part, unsigned row) const {
        return statistics[part * step + row];
    }
    __device__ __forceinline__ float &sum(unsigned part, unsigned row) const {
        return statistics[part * step + R + row];
    }
};

// V neighbours of a row, of `count` parts: what they add up to.
template <int V> struct total { float greatest, sum, out[V]; };
template <int V, int R>
static __device__ __forceinline__ total<V> add_parts(const parts<R> &of, unsigned count, unsigned row,
                                                     size_t d) {
    total<V> t = {MINUS_INFINITY, 0.0f, {}};
    for (unsigned i = 0; i < count; i++) t.greatest = fmaxf(t.greatest, of.greatest(i, row));
    float base = base_of(t.greatest);
#pragma unroll 8
    for (unsigned i = 0; i < count; i++) {
        float factor = power_of_two(of.greatest(i, row) - base);
        const float *from = of.out(i, row) + d;
        float4 four = {};
        if constexpr (V == 4)
            four = *(const float4 *)from;
        else
            four.x = *from;
        t.sum += of.sum(i, row) * factor;
        t.out[0] += four.x * factor;
        if constexpr (V == 4)
            t.out[1] += four.y * factor, t.out[2] += four.z * factor, t.out[3] += four.w * factor;
    }
    return t;
}

// Rows [from, end) of the tile, of `count` parts: into out.
template <int V, int R, typename T, typename C>
static __device__ __forceinline__ void store_by(const decode<T, C> &p, const tile &t, const parts<R> &of,
                                                unsigned count, unsigned from, unsigned end) {
    const size_t units = p.dimension / V; // of a row
    for (size_t i = threadIdx.x + from * units; i < end * units; i += blockDim.x) {
        unsigned row = (unsigned)(i / units);
        size_t d = i % units * V, head = head_of(t, row), query = query_of(t, row);
        total<V> sum = add_parts<V>(of, count, row, d);
        float share = sum.sum == 0.0f ? 0.0f : value_scale(p, t.kv_head) / sum.sum;
        T *to = p.out + row_at(p.out_at, t.b, head, query) + d;
#pragma unroll
        for (int e = 0; e < V; e++) kz_narrow(&to[e], sum.out[e] * share);
        if (p.lse && d == 0)
            p.lse[(t.b * p.heads + head) * p.queries + query] = lse_of(sum.greatest, sum.sum);
    }
}
template <int R, typename T, typename C>
static __device__ __forceinline__ void store_rows(const decode<T, C> &p, const tile &t, const parts<R> &of,
                                                  unsigned count, unsigned from, unsigned end) {
    if (p.dimension % 4 == 0)
        store_by<4>(p, t, of, count, from, end);
    else
        store_by<1>(p, t, of, count, from, end);
}

// The same into a part of their own.
template <int R>
static __device__ __forceinline__ void store_part(const tile &t, const parts<R> &of, unsigned count,
                                                  const parts<R> &to, unsigned part) {
    for (size_t i = threadIdx.x; i < t.rows * of.dimension; i += blockDim.x) {
        unsigned row = (unsigned)(i / of.dimension);
        size_t d = i % of.dimension;
        total<1> sum = add_parts<1>(of, count, row, d);
        to.out(part, row)[d] = sum.out[0];
        if (d == 0) to.greatest(part, row) = sum.greatest, to.sum(part, row) = sum.sum;
    }
}

// Parts in the workspace that are complete, into out. Greatest scores and sums go to shared memory first, all at once: every thread
// needs those of its row. `scratch` has room for the parts of four warps, and so for as many splits as plans make.
template <int R, typename T, typename C>
static __device__ __forceinline__ void add_shares(const decode<T, C> &p, const tile &t, parts<R> all,
                                                  float *scratch, unsigned from, unsigned end) {
    for (unsigned i = threadIdx.x; i < t.used * t.rows; i += blockDim.x) {
        unsigned part = i / t.rows, row = i % t.rows;
        scratch[part * 2 * R + row] = all.greatest(part, row);
        scratch[part * 2 * R + R + row] = all.sum(part, row);
    }
    __syncthreads();
    all.statistics = scratch, all.step = 2 * R;
    store_rows(p, t, all, t.used, from, end);
}

// What the block's warps have summed, all in shared memory by now, becomes results where no other block has a share of the keys;
// else a part in the workspace, and the block that comes last adds them up.
static __device__ unsigned tickets[DECODE_TICKETS]; // 0 before and after every launch

template <int R, typename T, typename C>
static __device__ __forceinline__ void finish(const decode<T, C> &p, const tile &t, const parts<R> &warps,
                                              float *workspace, unsigned splits) {
    if (t.used == 1) return store_rows(p, t, warps, WARPS, 0, t.rows);
    const parts<R> all(workspace + t.index * splits * warps.size(), p.dimension);
    store_part(t, warps, WARPS, all, t.split);
    if (kz_is_last_of(&tickets[t.index], t.used)) add_shares(p, t, all, warps.at, 0, t.rows);
}

#endif
