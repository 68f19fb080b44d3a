// attention_backward 01: unfused
//
// Idea     the formulas as kernels of their own: p, ds, and the three products.
// Change   the first version. A thread per pair, which multiplies two rows twice, then a thread per element of dq, and one per
//          element of dk and dv.
// Expect   two matrices of queries x keys floats for each head, written once and read column by column and row by row.
// Limit    memory in the square of the length; products whose every factor is a load of its own.

#include "attention_backward.cuh"

// Query `at` of the arrays: which of which sequence.
template <typename T> struct query_row {
    size_t b, head, query; // the query within its sequence
    kz_attention_sequence s;
    __device__ __forceinline__ query_row(const kz_attention<T> &p, size_t at) {
        b = p.query_offsets ? 0 : at / (p.heads * p.queries);
        head = at / p.queries % p.heads;
        query = at % p.queries;
        s = kz_attention_sequence_of(p, b);
        while (p.query_offsets && b + 1 < p.batch && query >= s.query + s.queries)
            s = kz_attention_sequence_of(p, ++b);
        query -= s.query;
    }
};

template <typename T> static __device__ __forceinline__ size_t pairs_of(const kz_attention<T> &p) {
    return (p.query_offsets ? 1 : p.batch) * p.heads * p.queries * p.keys;
}

// p and ds of a pair, those that a query does not see left as they are.
template <typename T>
static __device__ __forceinline__ void weigh(const backward<T, T> &g, float *weights, float *slopes) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread();
    if (at >= pairs_of(p)) return;
    query_row<T> r(p, at / p.keys);
    size_t j = at % p.keys, token = r.s.query + r.query;
    if (!sees(p, r.s, r.query, j)) return;
    size_t q = kz_attention_row(p.q_at, r.b, r.head, token);
    size_t dout = kz_attention_row(p.out_at, r.b, r.head, token);
    size_t key = kz_attention_row(p.kv_at, r.b, r.head / (p.heads / p.kv_heads), r.s.key + j);
    float score = 0.0f, slope = 0.0f;
    for (size_t d = 0; d < p.dimension; d++) {
        score += kz_widen(p.q[q + d]) * kz_widen(p.k[key + d]);
        slope += kz_widen(g.dout[dout + d]) * kz_widen(p.v[key + d]);
    }
    score *= p.scale;
    if (p.mask) score += kz_widen(p.mask[kz_attention_row(p.mask_at, r.b, r.head, r.query) + j]);
    float2 row = g.rows[row_index(p, r.b, r.head, token)];
    float weight = power_of_2(score * LOG2_E - row.x);
    weights[at] = weight;
    slopes[at] = weight * (slope - row.y);
}

template <typename T>
static __device__ __forceinline__ void query_gradient(const backward<T, T> &g, const float *slopes) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.heads * p.queries * p.dimension) return;
    query_row<T> r(p, at / p.dimension);
    if (r.query >= r.s.queries) return; // of no packed sequence
    slopes += at / p.dimension * p.keys;
    float sum = 0.0f;
    size_t end = kz_attention_end(p, r.s, r.query);
    for (size_t j = kz_attention_first(p, r.s, r.query); j < end; j++)
        sum +=
            slopes[j] *
            kz_widen(p.k[kz_attention_row(p.kv_at, r.b, r.head / (p.heads / p.kv_heads), r.s.key + j) + d]);
    kz_narrow(&g.dq[kz_attention_row(p.q_at, r.b, r.head, r.s.query + r.query) + d], p.scale * sum);
}

// Of a key's element: over the queries that see it, of all heads that share it.
template <typename T>
static __device__ __forceinline__ void key_gradients(const backward<T, T> &g, const float *weights,
                                                     const float *slopes) {
    const kz_attention<T> &p = g.p;
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.kv_heads * p.keys * p.dimension) return;
    size_t row = at / p.dimension, key = row % p.keys, kv_head = row / p.keys % p.kv_heads;
    size_t b = p.query_offsets ? 0 : row / (p.keys * p.kv_heads), group = p.heads / p.kv_heads;
    kz_attention_sequence s = kz_attention_sequence_of(p, b);
    while (p.query_offsets && b + 1 < p.batch && key >= s.key + s.keys) s = kz_attention_sequence_of(p, ++b);
    size_t j = key - s.key;
    if (p.query_offsets && j >= s.keys) return; // of no packed sequence
    size_t end = j < s.keys ? end_query(p, s, j) : 0;
    float dk = 0.0f, dv = 0.0f;
    for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
        for (size_t i = first_query(p, s, j); i < end; i++) {
            size_t pair = row_index(p, b, head, s.query + i) * p.keys + j;
            dv += weights[pair] * kz_widen(g.dout[kz_attention_row(p.out_at, b, head, s.query + i) + d]);
            dk += slopes[pair] * kz_widen(p.q[kz_attention_row(p.q_at, b, head, s.query + i) + d]);
        }
    size_t to = kz_attention_row(p.kv_at, b, kv_head, key) + d;
    kz_narrow(&g.dk[to], p.scale * dk);
    kz_narrow(&g.dv[to], dv);
}

#define ENTRY(type, T)                                                                                       \
    BACKWARD_ROWS(unfused, type, T)                                                                          \
    KZ_ENTRY(attention_backward_unfused_pairs_any_##type)(BACKWARD_PARAMETERS(T, T), float *pairs) {         \
        backward<T, T> g = BACKWARD_OF(T);                                                                   \
        weigh<T>(g, pairs, pairs + pairs_of(g.p));                                                           \
    }                                                                                                        \
    KZ_ENTRY(attention_backward_unfused_queries_any_##type)(BACKWARD_PARAMETERS(T, T), float *pairs) {       \
        backward<T, T> g = BACKWARD_OF(T);                                                                   \
        query_gradient<T>(g, pairs + pairs_of(g.p));                                                         \
    }                                                                                                        \
    KZ_ENTRY(attention_backward_unfused_keys_any_##type)(BACKWARD_PARAMETERS(T, T), float *pairs) {          \
        backward<T, T> g = BACKWARD_OF(T);                                                                   \
        key_gradients<T>(g, pairs, pairs + pairs_of(g.p));                                                   \
    }
ENTRY(f32, float)
ENTRY(f16, kz_f16)
ENTRY(bf16, kz_bf16)
