// attention 00: plain C on the `cpu` device
//
// Idea     query by query: its scores, their exponentials, the weighted sum of the values.
// Change   none: it stands before the ladder. Each block of the grid takes a run of queries and keeps one row of
//          weights, in double.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>

#include "private.h"

// The exponentials of a row's scores less the greatest, which is returned; the sum is left to the caller.
static double weigh(const attention_native *n, const attention_queries *r, attention_span seen,
                    double *weights, double *sum) {
    const attention_problem *p = &n->p;
    uint64_t q = attention_row(&p->q, r->b, r->head, r->s.query + r->query);
    double most = (double)-INFINITY;
    for (uint64_t c = seen.first; c < seen.end; c++) {
        uint64_t k = attention_row(&p->kv, r->b, r->kv_head, r->s.key + c);
        double score = 0.0;
        for (uint64_t d = 0; d < p->dimension; d++)
            score += kz_element_get(p->type, n->q, q + d) * kz_element_get(p->type, n->k, k + d);
        score *= p->scale;
        if (n->mask)
            score += kz_element_get(p->type, n->mask, attention_row(&p->mask, r->b, r->head, r->query) + c);
        weights[c] = score;
        most = isnan(score) || score > most ? score : most;
    }
    if (most == (double)-INFINITY) most = 0.0;
    for (uint64_t c = seen.first; c < seen.end; c++) *sum += weights[c] = exp(weights[c] - most);
    return most;
}

static void attend(const kz_native_launch *launch, kz_type type) {
    attention_native n = attention_native_of(launch, type);
    const attention_problem *p = &n.p;
    double *weights = (double *)n.workspace + launch->block_index[0] * p->keys;
    kz_share own = kz_native_share(launch, p->sequences_of_arrays * p->heads * p->queries);
    for (uint64_t at = own.begin; at < own.end; at++) {
        attention_queries r = attention_native_row(&n, at);
        attention_span seen = attention_span_of(p, &r.s, r.query);
        double sum = 0.0, most = weigh(&n, &r, seen, weights, &sum);
        for (uint64_t d = 0; d < p->dimension; d++) {
            double value = 0.0;
            for (uint64_t c = seen.first; c < seen.end; c++)
                value += weights[c] *
                         kz_element_get(type, n.v, attention_row(&p->kv, r.b, r.kv_head, r.s.key + c) + d);
            kz_element_set(type, n.out, attention_row(&p->out, r.b, r.head, r.s.query + r.query) + d,
                           sum == 0.0 ? 0.0 : value / sum);
        }
        if (n.lse) n.lse[attention_lse_index(p, r.b, r.head, r.s.query + r.query)] = (float)(most + log(sum));
    }
}

static void f32(const kz_native_launch *launch) { attend(launch, KZ_F32); }
static void f16(const kz_native_launch *launch) { attend(launch, KZ_F16); }
static void bf16(const kz_native_launch *launch) { attend(launch, KZ_BF16); }

const kz_native_entry attention_natives[] = {{"attention_native_any_f32", f32},
                                             {"attention_native_any_f16", f16},
                                             {"attention_native_any_bf16", bf16},
                                             {0}};
