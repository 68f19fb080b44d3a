// attention 01: unfused
//
// Idea     the formula in three kernels: scores, softmax along their rows, product with the values.
// Change   the first version. A thread per score and per result, a block per row of the softmax.
// Expect   scores of queries x keys floats for each head are written, read twice and written again, and read once more:
//          memory in the square of the length, and most of the traffic.
// Limit    that traffic, and products whose every factor is a load of its own.

#include "kz/device/attention.cuh"
#include "kz/device/fold.cuh"
#include "kz/device/online_softmax.cuh"

// Row `at` of the scores: which query of which sequence, and what it sees.
template <typename T> struct row {
    size_t b, head, query; // the query within its sequence
    kz_attention_sequence s;
    size_t first, end;
    __device__ __forceinline__ row(const kz_attention<T> &p, size_t at) {
        b = p.query_offsets ? 0 : at / (p.heads * p.queries);
        head = at / p.queries % p.heads;
        query = at % p.queries;
        s = kz_attention_sequence_of(p, b);
        while (p.query_offsets && b + 1 < p.batch && query >= s.query + s.queries)
            s = kz_attention_sequence_of(p, ++b);
        query -= s.query;
        first = kz_attention_first(p, s, query);
        end = kz_attention_end(p, s, query);
    }
};

// scores[row][j] = scale * q[row] . k[j], plus the mask; those that a query does not see are left as they are.
template <typename T> static __device__ __forceinline__ void score(const kz_attention<T> &p, float *scores) {
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch;
    if (at >= arrays * p.heads * p.queries * p.keys) return;
    row<T> r(p, at / p.keys);
    size_t j = at % p.keys;
    if (j < r.first || j >= r.end) return;
    const T *q = p.q + kz_attention_row(p.q_at, r.b, r.head, r.s.query + r.query);
    const T *k = p.k + kz_attention_row(p.kv_at, r.b, r.head / (p.heads / p.kv_heads), r.s.key + j);
    float sum = 0.0f;
    for (size_t d = 0; d < p.dimension; d++) sum += kz_widen(q[d]) * kz_widen(k[d]);
    sum *= p.scale;
    if (p.mask) sum += kz_widen(p.mask[kz_attention_row(p.mask_at, r.b, r.head, r.query) + j]);
    scores[at] = sum;
}

// A block per row, which becomes its softmax.
template <typename T>
static __device__ __forceinline__ void softmax(const kz_attention<T> &p, float *scores) {
    __shared__ float shared;
    row<T> r(p, blockIdx.x);
    scores += blockIdx.x * p.keys;
    float most = kz_fold_identity<KZ_MAX>(0.0f), sum = 0.0f;
    for (size_t j = r.first + threadIdx.x; j < r.end; j += blockDim.x)
        most = kz_fold_combine<KZ_MAX>(most, scores[j]);
    most = kz_fold_block<KZ_MAX>(most);
    if (threadIdx.x == 0) shared = most;
    __syncthreads();
    most = kz_softmax_base(shared);
    for (size_t j = r.first + threadIdx.x; j < r.end; j += blockDim.x)
        sum += scores[j] = expf(scores[j] - most);
    sum = kz_fold_block<KZ_SUM>(sum); // its barriers are after every thread has read `shared`
    if (threadIdx.x == 0) {
        float *lse = kz_attention_lse(p, r.b, r.head, r.s.query + r.query);
        if (lse) *lse = sum == 0.0f ? KZ_MINUS_INFINITY : most + logf(sum);
        shared = sum == 0.0f ? 0.0f : 1.0f / sum;
    }
    __syncthreads();
    for (size_t j = r.first + threadIdx.x; j < r.end; j += blockDim.x) scores[j] *= shared;
}

template <typename T>
static __device__ __forceinline__ void product(const kz_attention<T> &p, const float *weights) {
    size_t at = kz_thread(), arrays = p.query_offsets ? 1 : p.batch, d = at % p.dimension;
    if (at >= arrays * p.heads * p.queries * p.dimension) return;
    row<T> r(p, at / p.dimension);
    weights += at / p.dimension * p.keys;
    const T *v = p.v + d;
    size_t kv_head = r.head / (p.heads / p.kv_heads);
    float sum = 0.0f;
    for (size_t j = r.first; j < r.end; j++)
        sum += weights[j] * kz_widen(v[kz_attention_row(p.kv_at, r.b, kv_head, r.s.key + j)]);
    kz_narrow(&p.out[kz_attention_row(p.out_at, r.b, r.head, r.s.query + r.query) + d], sum);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(attention_unfused_scores_any_##type)(KZ_ATTENTION_PARAMETERS(T), float *scores) {               \
        score<T>(KZ_ATTENTION_OF(T), scores);                                                                \
    }                                                                                                        \
    KZ_ENTRY(attention_unfused_softmax_any_##type)(KZ_ATTENTION_PARAMETERS(T), float *scores) {              \
        softmax<T>(KZ_ATTENTION_OF(T), scores);                                                              \
    }                                                                                                        \
    KZ_ENTRY(attention_unfused_product_any_##type)(KZ_ATTENTION_PARAMETERS(T), float *scores) {              \
        product<T>(KZ_ATTENTION_OF(T), scores);                                                              \
    }
ENTRY(f32, float)
ENTRY(f16, kz_f16)
ENTRY(bf16, kz_bf16)
