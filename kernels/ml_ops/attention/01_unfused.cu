// attention 01: unfused
//
// Idea     the formula in three kernels: scores, softmax along their rows, product with the values.
// Change   the first version. A thread per score and per result, a block per row of the softmax.
// Expect   scores of queries x keys floats for each head are written, read twice and written again, and read once more:
//          memory in the square of the length, and most of the traffic.
// Limit    that traffic, and products whose every factor is a load of its own.

#include "kz/device/fold.cuh"

enum { FULL, CAUSAL };

// Keys that query i attends to: the first ones.
template <int operation>
static __device__ __forceinline__ size_t visible_of(size_t i, size_t queries, size_t keys) {
    return operation == CAUSAL ? keys - queries + i + 1 : keys;
}

// scores[h][i][j] = scale * q[h][i] . k[h][j], for all heads h of all batches; those that a query does not attend to are
// left as they are.
template <int operation, typename T>
static __device__ __forceinline__ void score(const T *q, const T *k, float *scores, size_t heads,
                                             size_t queries, size_t keys, size_t dimension, float scale) {
    size_t at = kz_thread();
    if (at >= heads * queries * keys) return;
    size_t row = at / keys, j = at % keys;
    if (j >= visible_of<operation>(row % queries, queries, keys)) return;
    q += row * dimension;
    k += (row / queries * keys + j) * dimension;
    float sum = 0.0f;
    for (size_t d = 0; d < dimension; d++) sum += kz_widen(q[d]) * kz_widen(k[d]);
    scores[at] = sum * scale;
}

// A block per row, which becomes its softmax.
template <int operation>
static __device__ __forceinline__ void softmax(float *scores, size_t queries, size_t keys) {
    __shared__ float shared;
    size_t visible = visible_of<operation>(blockIdx.x % queries, queries, keys);
    scores += blockIdx.x * keys;
    float most = kz_fold_identity<KZ_MAX>(0.0f), sum = 0.0f;
    for (size_t j = threadIdx.x; j < visible; j += blockDim.x)
        most = kz_fold_combine<KZ_MAX>(most, scores[j]);
    most = kz_fold_block<KZ_MAX>(most);
    if (threadIdx.x == 0) shared = most;
    __syncthreads();
    most = shared;
    for (size_t j = threadIdx.x; j < visible; j += blockDim.x) sum += scores[j] = expf(scores[j] - most);
    sum = kz_fold_block<KZ_SUM>(sum); // its barriers are after every thread has read `shared`
    if (threadIdx.x == 0) shared = 1.0f / sum;
    __syncthreads();
    for (size_t j = threadIdx.x; j < visible; j += blockDim.x) scores[j] *= shared;
}

template <int operation, typename T>
static __device__ __forceinline__ void product(const float *weights, const T *v, T *out, size_t heads,
                                               size_t queries, size_t keys, size_t dimension) {
    size_t at = kz_thread();
    if (at >= heads * queries * dimension) return;
    size_t row = at / dimension, visible = visible_of<operation>(row % queries, queries, keys);
    weights += row * keys;
    v += row / queries * keys * dimension + at % dimension;
    float sum = 0.0f;
    for (size_t j = 0; j < visible; j++) sum += weights[j] * kz_widen(v[j * dimension]);
    kz_narrow(&out[at], sum);
}

#define SOFTMAX(operation, OPERATION)                                                                        \
    KZ_ENTRY(attention_unfused_softmax_##operation)(float *scores, size_t queries, size_t keys) {            \
        softmax<OPERATION>(scores, queries, keys);                                                           \
    }
#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY(attention_unfused_scores_##operation##_##type)                                                  \
    (const T *q, const T *k, float *scores, size_t heads, size_t queries, size_t keys, size_t dimension,     \
     float scale) {                                                                                          \
        score<OPERATION>(q, k, scores, heads, queries, keys, dimension, scale);                              \
    }                                                                                                        \
    KZ_ENTRY(attention_unfused_product_##operation##_##type)                                                 \
    (const float *weights, const T *v, T *out, size_t heads, size_t queries, size_t keys,                    \
     size_t dimension) {                                                                                     \
        product<OPERATION>(weights, v, out, heads, queries, keys, dimension);                                \
    }
#define ENTRIES(operation, OPERATION)                                                                        \
    SOFTMAX(operation, OPERATION)                                                                            \
    ENTRY(operation, OPERATION, f32, float)                                                                  \
    ENTRY(operation, OPERATION, f16, kz_f16)                                                                 \
    ENTRY(operation, OPERATION, bf16, kz_bf16)
ENTRIES(full, FULL)
ENTRIES(causal, CAUSAL)
