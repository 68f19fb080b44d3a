// What kernels of attention are given and share: sequences of tokens in any strides, which keys a query sees, tiles of queries.
//
// Every mask but an additive one lets a query see an interval of keys: [kz_attention_first, kz_attention_end). A tile of keys
// that lies inside the intervals of all queries of a tile needs no mask, one that lies outside is skipped, and only those in
// between are looked at key by key.
#ifndef KZ_ATTENTION_CUH
#define KZ_ATTENTION_CUH

#include "kz/kernel.cuh"

// Element (batch, head, token, d) is batch * .batch + head * .head + token * .token + d elements past the address.
struct kz_attention_strides {
    size_t token, head, batch;
};

template <typename T> struct kz_attention {
    const T *q, *k, *v;
    T *out;
    float *lse; // natural logarithm of each query's sum of exponentials, batch x heads x queries; or NULL
    // Both NULL: all sequences are whole. The first NULL: the second has how many keys each sequence of the batch has. Else
    // sequences follow one another in one array of tokens, and sequence b is from element b to element b + 1.
    const int *query_offsets, *key_offsets;
    const T *mask; // added to the scaled scores; or NULL
    size_t batch, heads, kv_heads, queries, keys, dimension;
    float scale;
    size_t
        reach; // 0: a query sees all keys; else up to its own, which for the last query is the last, and so many of them
    kz_attention_strides q_at, kv_at, out_at, mask_at; // of the mask: token is a query's row
};

// The parameters of an entry point, and the struct they make.
#define KZ_ATTENTION_PARAMETERS(T)                                                                           \
    const T *q, const T *k, const T *v, T *out, float *lse, const int *query_offsets,                        \
        const int *key_offsets, const T *mask, size_t batch, size_t heads, size_t kv_heads, size_t queries,  \
        size_t keys, size_t dimension, float scale, size_t reach, size_t q_token, size_t q_head,             \
        size_t q_batch, size_t kv_token, size_t kv_head, size_t kv_batch, size_t out_token, size_t out_head, \
        size_t out_batch, size_t mask_token, size_t mask_head, size_t mask_batch
#define KZ_ATTENTION_OF(T)                                                                                   \
    {                                                                                                        \
        q, k, v, out, lse, query_offsets, key_offsets, mask, batch, heads, kv_heads, queries, keys,          \
            dimension, scale, reach, {q_token, q_head, q_batch}, {kv_token, kv_head, kv_batch},              \
            {out_token, out_head, out_batch}, {                                                              \
            mask_token, mask_head, mask_batch                                                                \
        }                                                                                                    \
    }

// ---- sequences ---------------------------------------------------------------------------------------------

// One sequence of the batch: its first query and key in the arrays' tokens, and how many it has.
struct kz_attention_sequence {
    size_t query, queries, key, keys;
};

// What offsets say, kept inside the arrays whatever they say.
static __device__ __forceinline__ void kz_attention_range(const int *offsets, size_t b, size_t most,
                                                          size_t *first, size_t *count) {
    int from = offsets[b], to = offsets[b + 1];
    *first = from < 0 ? 0 : (size_t)from < most ? (size_t)from : most;
    size_t end = to < 0 ? 0 : (size_t)to < most ? (size_t)to : most;
    *count = end > *first ? end - *first : 0;
}

template <typename T>
static __device__ __forceinline__ kz_attention_sequence kz_attention_sequence_of(const kz_attention<T> &p,
                                                                                 size_t b) {
    kz_attention_sequence s = {0, p.queries, 0, p.keys};
    if (p.query_offsets) {
        kz_attention_range(p.query_offsets, b, p.queries, &s.query, &s.queries);
        kz_attention_range(p.key_offsets, b, p.keys, &s.key, &s.keys);
    } else if (p.key_offsets) {
        int length = p.key_offsets[b];
        s.keys = length < 0 ? 0 : (size_t)length < p.keys ? (size_t)length : p.keys;
    }
    return s;
}

// ---- which keys a query sees ---------------------------------------------------------------------------------

// Of the query `i` of the sequence: keys of the sequence from the first on, before the end.
template <typename T>
static __device__ __forceinline__ size_t kz_attention_end(const kz_attention<T> &p,
                                                          const kz_attention_sequence &s, size_t i) {
    if (p.reach == 0) return s.keys;
    size_t end = i + 1 + s.keys; // less the queries, which may be more
    return end <= s.queries ? 0 : end - s.queries < s.keys ? end - s.queries : s.keys;
}
template <typename T>
static __device__ __forceinline__ size_t kz_attention_first(const kz_attention<T> &p,
                                                            const kz_attention_sequence &s, size_t i) {
    size_t end = i + 1 + s.keys;
    return p.reach == 0 || end <= s.queries + p.reach ? 0 : end - s.queries - p.reach;
}

// ---- tiles -----------------------------------------------------------------------------------------------------

// Tile `at` of `rows` queries of the whole batch, of one head: which sequence, and its first query there. False where there
// are no more: a plan knows no packed sequence's length, and launches batch + queries / rows of them.
template <typename T>
static __device__ __forceinline__ bool kz_attention_tile(const kz_attention<T> &p, size_t at, size_t rows,
                                                         size_t *b, kz_attention_sequence *s, size_t *row) {
    if (!p.query_offsets) {
        size_t tiles = (p.queries + rows - 1) / rows;
        *b = at / tiles;
        *row = at % tiles * rows;
        if (*b >= p.batch) return false;
        *s = kz_attention_sequence_of(p, *b);
        return true;
    }
    for (*b = 0; *b < p.batch; ++*b) {
        *s = kz_attention_sequence_of(p, *b);
        size_t tiles = (s->queries + rows - 1) / rows;
        *row = at * rows;
        if (at < tiles) return true;
        at -= tiles;
    }
    return false;
}

// The same for whole warps: lanes look at 32 sequences at once.
template <typename T>
static __device__ __forceinline__ bool kz_attention_tile_by_warp(const kz_attention<T> &p, size_t at,
                                                                 size_t rows, size_t *b,
                                                                 kz_attention_sequence *s, size_t *row) {
    if (!p.query_offsets) return kz_attention_tile(p, at, rows, b, s, row);
    unsigned lane = kz_lane();
    for (size_t first = 0; first < p.batch; first += KZ_WARP) {
        unsigned tiles = 0;
        if (first + lane < p.batch)
            tiles = (unsigned)((kz_attention_sequence_of(p, first + lane).queries + rows - 1) / rows);
        unsigned end = tiles; // of this sequence's and those of the lanes below
#pragma unroll
        for (unsigned step = 1; step < KZ_WARP; step *= 2) {
            unsigned below = __shfl_up_sync(KZ_ALL_LANES, end, step);
            if (lane >= step) end += below;
        }
        unsigned found = __ballot_sync(KZ_ALL_LANES, at < end);
        if (found) {
            int owner = __ffs((int)found) - 1;
            *b = first + owner;
            *s = kz_attention_sequence_of(p, *b);
            *row = (at - __shfl_sync(KZ_ALL_LANES, end - tiles, owner)) * rows;
            return true;
        }
        at -= __shfl_sync(KZ_ALL_LANES, end, KZ_WARP - 1);
    }
    return false;
}

// Where the row of a query or a key begins.
static __device__ __forceinline__ size_t kz_attention_row(const kz_attention_strides &at, size_t b,
                                                          size_t head, size_t token) {
    return b * at.batch + head * at.head + token * at.token;
}

// Of packed sequences a head's queries follow one another.
template <typename T>
static __device__ __forceinline__ float *kz_attention_lse(const kz_attention<T> &p, size_t b, size_t head,
                                                          size_t query) {
    return p.lse ? p.lse + ((p.query_offsets ? 0 : b * p.heads) + head) * p.queries + query : nullptr;
}

#endif
