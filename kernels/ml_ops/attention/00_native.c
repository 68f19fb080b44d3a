// attention 00: plain C on the `cpu` device
//
// Idea     query by query: its scores, their exponentials, the weighted sum of the values.
// Change   none: it stands before the ladder. Each block of the grid takes a run of queries and keeps one row of
//          weights, in double.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>

#include "private.h"

typedef struct job {
    attention_problem p;
    const void *q, *k, *v, *mask;
    void *out;
    float *lse;
    double *weights; // a row of keys
} job;

typedef struct row {
    uint64_t b, head, query; // the query within its sequence
    attention_sequence s;
    attention_span seen;
} row;

static kz_attention_strides strides_at(const kz_native_launch *launch, size_t first) {
    return (kz_attention_strides){kz_native_u64(launch, first), kz_native_u64(launch, first + 1),
                                  kz_native_u64(launch, first + 2)};
}

// Row by row what KZ_ATTENTION_PARAMETERS says.
static job job_of(const kz_native_launch *launch, kz_type type) {
    job j = {.q = kz_native_pointer(launch, 0),
             .k = kz_native_pointer(launch, 1),
             .v = kz_native_pointer(launch, 2),
             .out = kz_native_pointer(launch, 3),
             .lse = kz_native_pointer(launch, 4),
             .mask = kz_native_pointer(launch, 7)};
    bool packed = kz_native_pointer(launch, 5), padded = !packed && kz_native_pointer(launch, 6);
    j.p = (attention_problem){.operation = padded ? KZ_ATTENTION_PADDED : KZ_ATTENTION_FULL,
                              .type = type,
                              .packed = packed,
                              .batch = kz_native_u64(launch, 8),
                              .heads = kz_native_u64(launch, 9),
                              .kv_heads = kz_native_u64(launch, 10),
                              .queries = kz_native_u64(launch, 11),
                              .keys = kz_native_u64(launch, 12),
                              .dimension = kz_native_u64(launch, 13),
                              .scale = (double)*(const float *)launch->args[14],
                              .reach = kz_native_u64(launch, 15),
                              .q = strides_at(launch, 16),
                              .kv = strides_at(launch, 19),
                              .out = strides_at(launch, 22),
                              .mask = strides_at(launch, 25)};
    j.p.sequences_of_arrays = packed ? 1 : j.p.batch;
    j.weights = (double *)kz_native_pointer(launch, 28) + launch->block_index[0] * j.p.keys;
    return j;
}

static row row_of(const job *j, const kz_native_launch *launch, uint64_t at) {
    const attention_problem *p = &j->p;
    const int32_t *query_offsets = kz_native_pointer(launch, 5), *key_offsets = kz_native_pointer(launch, 6);
    row r = {.b = p->packed ? 0 : at / (p->heads * p->queries),
             .head = at / p->queries % p->heads,
             .query = at % p->queries};
    r.s = attention_sequence_of(p, query_offsets, key_offsets, r.b);
    while (p->packed && r.b + 1 < p->batch && r.query >= r.s.query + r.s.queries)
        r.s = attention_sequence_of(p, query_offsets, key_offsets, ++r.b);
    r.query -= r.s.query;
    r.seen = attention_span_of(p, &r.s, r.query);
    return r;
}

// The exponentials of a row's scores less the greatest, which is returned; the sum is left to the caller.
static double weigh(const job *j, const row *r, double *sum) {
    const attention_problem *p = &j->p;
    uint64_t kv_head = r->head / (p->heads / p->kv_heads);
    uint64_t q = attention_row(&p->q, r->b, r->head, r->s.query + r->query);
    double most = (double)-INFINITY;
    for (uint64_t c = r->seen.first; c < r->seen.end; c++) {
        uint64_t k = attention_row(&p->kv, r->b, kv_head, r->s.key + c);
        double score = 0.0;
        for (uint64_t d = 0; d < p->dimension; d++)
            score += kz_element_get(p->type, j->q, q + d) * kz_element_get(p->type, j->k, k + d);
        score *= p->scale;
        if (j->mask)
            score += kz_element_get(p->type, j->mask, attention_row(&p->mask, r->b, r->head, r->query) + c);
        j->weights[c] = score;
        most = isnan(score) || score > most ? score : most;
    }
    if (most == (double)-INFINITY) most = 0.0;
    for (uint64_t c = r->seen.first; c < r->seen.end; c++) *sum += j->weights[c] = exp(j->weights[c] - most);
    return most;
}

static void attend(const kz_native_launch *launch, kz_type type) {
    job j = job_of(launch, type);
    const attention_problem *p = &j.p;
    kz_share own = kz_native_share(launch, p->sequences_of_arrays * p->heads * p->queries);
    for (uint64_t at = own.begin; at < own.end; at++) {
        row r = row_of(&j, launch, at);
        uint64_t kv_head = r.head / (p->heads / p->kv_heads);
        double sum = 0.0, most = weigh(&j, &r, &sum);
        for (uint64_t d = 0; d < p->dimension; d++) {
            double value = 0.0;
            for (uint64_t c = r.seen.first; c < r.seen.end; c++)
                value += j.weights[c] *
                         kz_element_get(type, j.v, attention_row(&p->kv, r.b, kv_head, r.s.key + c) + d);
            kz_element_set(type, j.out, attention_row(&p->out, r.b, r.head, r.s.query + r.query) + d,
                           sum == 0.0 ? 0.0 : value / sum);
        }
        if (j.lse) j.lse[attention_lse_index(p, r.b, r.head, r.s.query + r.query)] = (float)(most + log(sum));
    }
}

static void f32(const kz_native_launch *launch) { attend(launch, KZ_F32); }
static void f16(const kz_native_launch *launch) { attend(launch, KZ_F16); }
static void bf16(const kz_native_launch *launch) { attend(launch, KZ_BF16); }

const kz_native_entry attention_natives[] = {{"attention_native_any_f32", f32},
                                             {"attention_native_any_f16", f16},
                                             {"attention_native_any_bf16", bf16},
                                             {0}};
