// attention: what the fused kernels share: which queries a block has and along which keys it goes, units of 16 bytes of their
// rows, powers of 2.
#ifndef ATTENTION_TILE_CUH
#define ATTENTION_TILE_CUH

#include "kz/device/attention.cuh"
#include "kz/device/online_softmax.cuh"
#include "tune.h"

#define LOG2_E 1.44269504f // scores are multiplied by it, and their exponentials are powers of 2
#define LN_2   0.693147181f

// 2^x; results below 2^-126 become zero.
static __device__ __forceinline__ float power_of_2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// ---- a block's queries ---------------------------------------------------------------------------------------

// In 32 bits, of which registers are short: a sequence has less than 2^31 tokens.
struct query_tile {
    unsigned b, head, kv_head, query, queries, key, keys; // as kz_attention_sequence has them
    unsigned row;                                         // the tile's first query, of the sequence
    unsigned first, end;                                  // keys that any of its queries sees
};

// Keys that the query `row` of the sequence sees: from the first one on, before the end.
template <typename T>
static __device__ __forceinline__ unsigned first_seen(const kz_attention<T> &p, const query_tile &t,
                                                      unsigned row) {
    return (unsigned)kz_attention_first(p, {t.query, t.queries, t.key, t.keys}, row);
}
template <typename T>
static __device__ __forceinline__ unsigned end_seen(const kz_attention<T> &p, const query_tile &t,
                                                    unsigned row) {
    return (unsigned)kz_attention_end(p, {t.query, t.queries, t.key, t.keys}, row);
}

// The grid has as many blocks for each head. A head's last queries, which see the most keys, come first. All threads call it.
// False: there is nothing to do.
template <typename T>
static __device__ __forceinline__ bool find_queries(const kz_attention<T> &p, unsigned rows, query_tile *t) {
    unsigned tiles = gridDim.x / (unsigned)p.heads;
    size_t b, row;
    kz_attention_sequence s;
    t->head = blockIdx.x / tiles;
    t->kv_head = t->head / (unsigned)(p.heads / p.kv_heads);
    if (!kz_attention_tile_by_warp(p, tiles - 1 - blockIdx.x % tiles, rows, &b, &s, &row)) return false;
    t->b = (unsigned)b, t->row = (unsigned)row;
    t->query = (unsigned)s.query, t->queries = (unsigned)s.queries;
    t->key = (unsigned)s.key, t->keys = (unsigned)s.keys;
    t->first = first_seen(p, *t, t->row);
    t->end = end_seen(p, *t, min(t->row + rows, t->queries) - 1);
    return true;
}

// ---- rows of elements ----------------------------------------------------------------------------------------

// Of one head, from the tile's first query or the sequence's first key on.
template <typename T> struct head_rows {
    const T *at;
    size_t token, dimension;
    unsigned count;
    bool units; // of 16 bytes each, all aligned
};

template <typename T>
static __device__ __forceinline__ head_rows<T> rows_at(const kz_attention<T> &p, const T *array,
                                                       const kz_attention_strides &at, unsigned b,
                                                       unsigned head, unsigned token, unsigned count) {
    head_rows<T> rows = {array + kz_attention_row(at, b, head, token), at.token, p.dimension, count};
    rows.units =
        kz_aligned(rows.at, 16) && at.token * sizeof(T) % 16 == 0 && p.dimension * sizeof(T) % 16 == 0;
    return rows;
}
template <typename T>
static __device__ __forceinline__ head_rows<T> queries_of(const kz_attention<T> &p, const query_tile &t) {
    return rows_at(p, p.q, p.q_at, t.b, t.head, t.query + t.row, t.queries - t.row);
}
template <typename T>
static __device__ __forceinline__ head_rows<T> results_of(const kz_attention<T> &p, const query_tile &t) {
    return rows_at<T>(p, p.out, p.out_at, t.b, t.head, t.query + t.row, t.queries - t.row);
}
template <typename T>
static __device__ __forceinline__ head_rows<T> keys_of(const kz_attention<T> &p, const query_tile &t,
                                                       const T *array) {
    return rows_at(p, array, p.kv_at, t.b, t.kv_head, t.key, t.keys);
}

// The unit that begins at element `first` of a row: zero past the row's end, and past the last row.
template <typename T>
static __device__ __forceinline__ kz_pack<T> load_unit(const head_rows<T> &rows, unsigned row,
                                                       unsigned first) {
    kz_pack<T> pack;
    pack.raw = make_uint4(0, 0, 0, 0);
    if (row >= rows.count) return pack;
    const T *from = rows.at + (size_t)row * rows.token + first;
    if (rows.units) { // then it is all inside, or all outside
        if (first < rows.dimension) pack.raw = *(const uint4 *)from;
    } else {
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++)
            if (first + e < rows.dimension) pack.at[e] = from[e];
    }
    return pack;
}

#endif
