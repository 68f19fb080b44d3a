// attention 00: plain C on the `cpu` device
//
// Idea     query by query: its scores, their exponentials, the weighted sum of the values.
// Change   none: it stands before the ladder. Each block of the grid takes a run of queries and keeps one row of
//          weights, in double.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>

#include "private.h"

typedef struct job {
    kz_type type;
    const void *q, *k, *v;
    void *out;
    uint64_t queries, keys, dimension;
    double *weights; // a row of keys
} job;

// The softmax of one query over `visible` keys, which begin at element `key` of k; the sum is left to the caller.
static double weigh(const job *j, uint64_t query, uint64_t key, uint64_t visible) {
    double most = -INFINITY, sum = 0.0;
    for (uint64_t c = 0; c < visible; c++) {
        double score = 0.0;
        for (uint64_t d = 0; d < j->dimension; d++)
            score += kz_element_get(j->type, j->q, query + d) *
                     kz_element_get(j->type, j->k, key + c * j->dimension + d);
        j->weights[c] = score / sqrt((double)j->dimension);
        most = isnan(j->weights[c]) || j->weights[c] > most ? j->weights[c] : most;
    }
    for (uint64_t c = 0; c < visible; c++) sum += j->weights[c] = exp(j->weights[c] - most);
    return sum;
}

static void attend(const kz_native_launch *launch, kz_type type, bool causal) {
    job j = {.type = type,
             .q = kz_native_pointer(launch, 0),
             .k = kz_native_pointer(launch, 1),
             .v = kz_native_pointer(launch, 2),
             .out = kz_native_pointer(launch, 3),
             .queries = kz_native_u64(launch, 6),
             .keys = kz_native_u64(launch, 7),
             .dimension = kz_native_u64(launch, 8)};
    j.weights = (double *)kz_native_pointer(launch, 9) + launch->block_index[0] * j.keys;
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 4) * kz_native_u64(launch, 5) * j.queries);
    for (uint64_t row = own.begin; row < own.end; row++) {
        uint64_t key = row / j.queries * j.keys * j.dimension;
        uint64_t visible = causal ? j.keys - j.queries + row % j.queries + 1 : j.keys;
        double sum = weigh(&j, row * j.dimension, key, visible);
        for (uint64_t d = 0; d < j.dimension; d++) {
            double value = 0.0;
            for (uint64_t c = 0; c < visible; c++)
                value += j.weights[c] * kz_element_get(type, j.v, key + c * j.dimension + d);
            kz_element_set(type, j.out, row * j.dimension + d, value / sum);
        }
    }
}

#define ENTRY(operation, causal, type, TYPE)                                                                 \
    static void operation##_##type(const kz_native_launch *launch) { attend(launch, KZ_##TYPE, causal); }
#define ROW(operation, causal, type, TYPE) {"attention_native_" #operation "_" #type, operation##_##type},
#define ALL(X)                                                                                               \
    X(full, false, f32, F32)                                                                                 \
    X(full, false, f16, F16)                                                                                 \
    X(full, false, bf16, BF16)                                                                               \
    X(causal, true, f32, F32)                                                                                \
    X(causal, true, f16, F16)                                                                                \
    X(causal, true, bf16, BF16)

ALL(ENTRY)

const kz_native_entry attention_natives[] = {ALL(ROW){0}};
