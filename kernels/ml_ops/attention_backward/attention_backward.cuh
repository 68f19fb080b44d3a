// What kernels of attention_backward are given and share: the parameters, tiles of keys, which queries see a key, and the kernel
// that comes first, a pass over out and dout.
#ifndef ATTENTION_BACKWARD_CUH
#define ATTENTION_BACKWARD_CUH

#include "kz/device/attention.cuh"
#include "kz/device/fold.cuh"

#define LOG2_E   1.44269504f
#define INFINITE __uint_as_float(0x7f800000u)

// A: what dq is added up in, float in the workspace, or T.
template <typename T, typename A> struct backward {
    kz_attention<T> p; // without out and lse
    const T *dout;     // strides: out_at
    // Of each query, as lse's order has them: the log-sum-exp in powers of 2, +Inf for a query that sees nothing, so that its
    // exponentials are 0; and delta, the sum of dout times out.
    const float2 *rows;
    A *dq;
    T *dk, *dv; // strides: kv_at
};

#define BACKWARD_PARAMETERS(T, A)                                                                            \
    const T *q, const T *k, const T *v, const T *dout, const float2 *rows, const int *query_offsets,         \
        const int *key_offsets, const T *mask, A *dq, T *dk, T *dv, size_t batch, size_t heads,              \
        size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale, size_t reach,           \
        size_t q_token, size_t q_head, size_t q_batch, size_t kv_token, size_t kv_head, size_t kv_batch,     \
        size_t out_token, size_t out_head, size_t out_batch, size_t mask_token, size_t mask_head,            \
        size_t mask_batch
#define BACKWARD_OF(T)                                                                                       \
    {                                                                                                        \
        {q,                                                                                                  \
         k,                                                                                                  \
         v,                                                                                                  \
         nullptr,                                                                                            \
         nullptr,                                                                                            \
         query_offsets,                                                                                      \
         key_offsets,                                                                                        \
         mask,                                                                                               \
         batch,                                                                                              \
         heads,                                                                                              \
         kv_heads,                                                                                           \
         queries,                                                                                            \
         keys,                                                                                               \
         dimension,                                                                                          \
         scale,                                                                                              \
         reach,                                                                                              \
         {q_token, q_head, q_batch},                                                                         \
         {kv_token, kv_head, kv_batch},                                                                      \
         {out_token, out_head, out_batch},                                                                   \
         {mask_token, mask_head, mask_batch}},                                                               \
            dout, rows, dq, dk, dv                                                                           \
    }

static __device__ __forceinline__ float power_of_2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// ---- which queries see a key -----------------------------------------------------------------------------------

// Of key `j` of the sequence: queries from the first on, before the end.
template <typename T>
static __device__ __forceinline__ size_t first_query(const kz_attention<T> &p, const kz_attention_sequence &s,
                                                     size_t j) {
    return p.reach == 0 || j + s.queries <= s.keys ? 0 : j + s.queries - s.keys;
}
template <typename T>
static __device__ __forceinline__ size_t end_query(const kz_attention<T> &p, const kz_attention_sequence &s,
                                                   size_t j) {
    if (p.reach == 0) return s.queries;
    size_t end = j + s.queries + p.reach;
    return end <= s.keys ? 0 : end - s.keys < s.queries ? end - s.keys : s.queries;
}

// ---- tiles -----------------------------------------------------------------------------------------------------

// Tile `at` of `rows` keys of the whole batch, of one head: as kz_attention_tile has them of queries. Keys behind a padded length
// are in tiles as well, for their gradients are written.
template <typename T>
static __device__ __forceinline__ bool key_tile(const kz_attention<T> &p, size_t at, size_t rows, size_t *b,
                                                kz_attention_sequence *s, size_t *key) {
    if (!p.query_offsets) {
        size_t tiles = (p.keys + rows - 1) / rows;
        *b = at / tiles;
        *key = at % tiles * rows;
        if (*b >= p.batch) return false;
        *s = kz_attention_sequence_of(p, *b);
        return true;
    }
    for (*b = 0; *b < p.batch; ++*b) {
        *s = kz_attention_sequence_of(p, *b);
        size_t tiles = (s->keys + rows - 1) / rows;
        *key = at * rows;
        if (at < tiles) return true;
        at -= tiles;
    }
    return false;
}
// Keys of the sequence that have a gradient.
template <typename T>
static __device__ __forceinline__ size_t keys_written(const kz_attention<T> &p,
                                                      const kz_attention_sequence &s) {
    return p.query_offsets ? s.keys : p.keys;
}

// Queries [row, row + queries) see all of the keys [key, key + keys): no pair needs to be looked at.
template <typename T>
static __device__ __forceinline__ bool is_whole(const kz_attention<T> &p, const kz_attention_sequence &s,
                                                size_t row, size_t queries, size_t key, size_t keys) {
    return row + queries <= s.queries && key + keys <= s.keys &&
           kz_attention_first(p, s, row + queries - 1) <= key && kz_attention_end(p, s, row) >= key + keys;
}
template <typename T>
static __device__ __forceinline__ bool sees(const kz_attention<T> &p, const kz_attention_sequence &s,
                                            size_t i, size_t j) {
    return i < s.queries && j >= kz_attention_first(p, s, i) && j < kz_attention_end(p, s, i);
}

// ---- the queries' numbers ----------------------------------------------------------------------------------------

// Where those of a query are in `rows`.
template <typename T>
static __device__ __forceinline__ size_t row_index(const kz_attention<T> &p, size_t b, size_t head,
                                                   size_t query) {
    return ((p.query_offsets ? 0 : b * p.heads) + head) * p.queries + query;
}

// Of `count` queries each has some lanes of a warp: as many as it has units of 16 bytes, or all where rows are loaded by elements.
template <typename T>
static __device__ __forceinline__ void prepare_rows(const T *out, const T *dout, const float *lse,
                                                    float2 *rows, size_t heads, size_t queries,
                                                    size_t dimension, kz_attention_strides at, size_t count) {
    const unsigned E = 16 / sizeof(T);
    bool packs =
        (dimension | at.token | at.head | at.batch) % E == 0 && kz_aligned(out, 16) && kz_aligned(dout, 16);
    unsigned lanes = KZ_WARP;
    while (packs && lanes > 1 && lanes / 2 * E >= dimension) lanes /= 2;
    // By whole warps, and again where the plan reckoned with fewer lanes.
    size_t stride = kz_threads() / lanes;
    for (size_t first = kz_thread() / KZ_WARP * KZ_WARP / lanes; first < count; first += stride) {
        size_t i = first + kz_lane() / lanes;
        bool is_row = i < count;
        size_t row =
            is_row ? kz_attention_row(at, i / (heads * queries), i / queries % heads, i % queries) : 0;
        unsigned own = kz_lane() % lanes;
        float sum = 0.0f;
        if (!packs)
            for (size_t d = own; is_row && d < dimension; d += lanes)
                sum += kz_widen(out[row + d]) * kz_widen(dout[row + d]);
        for (size_t d = own * E; packs && is_row && d < dimension; d += lanes * E) {
            kz_pack<T> a = kz_load_pack<KZ_CACHE>(out + row + d), b = kz_load_pack<KZ_CACHE>(dout + row + d);
#pragma unroll
            for (unsigned e = 0; e < E; e++) sum = fmaf(kz_widen(a.at[e]), kz_widen(b.at[e]), sum);
        }
#pragma unroll
        for (unsigned step = KZ_WARP / 2; step > 0; step /= 2)
            if (step < lanes) sum += __shfl_xor_sync(KZ_ALL_LANES, sum, step);
        if (own == 0 && is_row) {
            float base = lse[i] * LOG2_E;
            rows[i] = make_float2(base == -INFINITE ? INFINITE : base, sum);
        }
    }
}

#define BACKWARD_ROWS(idea, type, T)                                                                         \
    KZ_ENTRY(attention_backward_##idea##_rows_any_##type)                                                    \
    (const T *out, const T *dout, const float *lse, float2 *rows, size_t heads, size_t queries,              \
     size_t dimension, size_t token, size_t head, size_t batch, size_t count) {                              \
        prepare_rows(out, dout, lse, rows, heads, queries, dimension, {token, head, batch}, count);          \
    }

#endif
