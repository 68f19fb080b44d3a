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

struct query_tile {
    size_t b, head, kv_head;
    kz_attention_sequence s;
    size_t row;        // its first query, of the sequence
    size_t first, end; // keys that any of its queries sees
};

// The grid has as many blocks for each head. A head's last queries, which see the most keys, come first. All threads call it.
// False: there is nothing to do.
template <typename T>
static __device__ __forceinline__ bool find_queries(const kz_attention<T> &p, size_t rows, query_tile *t) {
    size_t tiles = gridDim.x / p.heads;
    t->head = blockIdx.x / tiles;
    t->kv_head = t->head / (p.heads / p.kv_heads);
    if (!kz_attention_tile_by_warp(p, tiles - 1 - blockIdx.x % tiles, rows, &t->b, &t->s, &t->row))
        return false;
    size_t end = t->row + rows < t->s.queries ? t->row + rows : t->s.queries;
    t->first = kz_attention_first(p, t->s, t->row);
    t->end = kz_attention_end(p, t->s, end - 1);
    return true;
}

// Whether all of `rows` queries from `row` on see all of `keys` keys from `at` on.
template <typename T>
static __device__ __forceinline__ bool all_see(const kz_attention<T> &p, const kz_attention_sequence &s,
                                               size_t row, size_t rows, size_t at, size_t keys) {
    size_t last = row + rows < s.queries ? row + rows - 1 : s.queries - 1;
    return kz_attention_first(p, s, last) <= at && at + keys <= kz_attention_end(p, s, row);
}

// ---- rows of elements ----------------------------------------------------------------------------------------

// Of one head, from the tile's first query or the sequence's first key on.
template <typename T> struct head_rows {
    const T *at;
    size_t token, count, dimension;
    bool units; // of 16 bytes each, all aligned
};

template <typename T>
static __device__ __forceinline__ head_rows<T> rows_at(const kz_attention<T> &p, const T *array,
                                                       const kz_attention_strides &at, size_t b, size_t head,
                                                       size_t token, size_t count) {
    head_rows<T> rows = {array + kz_attention_row(at, b, head, token), at.token, count, p.dimension};
    rows.units =
        kz_aligned(rows.at, 16) && at.token * sizeof(T) % 16 == 0 && p.dimension * sizeof(T) % 16 == 0;
    return rows;
}
template <typename T>
static __device__ __forceinline__ head_rows<T> queries_of(const kz_attention<T> &p, const query_tile &t) {
    return rows_at(p, p.q, p.q_at, t.b, t.head, t.s.query + t.row, t.s.queries - t.row);
}
template <typename T>
static __device__ __forceinline__ head_rows<T> results_of(const kz_attention<T> &p, const query_tile &t) {
    return rows_at<T>(p, p.out, p.out_at, t.b, t.head, t.s.query + t.row, t.s.queries - t.row);
}
template <typename T>
static __device__ __forceinline__ head_rows<T> keys_of(const kz_attention<T> &p, const query_tile &t,
                                                       const T *array) {
    return rows_at(p, array, p.kv_at, t.b, t.kv_head, t.s.key, t.s.keys);
}

// The unit that begins at element `first` of a row: zero past the row's end, and past the last row.
template <typename T>
static __device__ __forceinline__ kz_pack<T> load_unit(const head_rows<T> &rows, size_t row, unsigned first) {
    kz_pack<T> pack;
    pack.raw = make_uint4(0, 0, 0, 0);
    if (row >= rows.count) return pack;
    const T *from = rows.at + row * rows.token + first;
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
