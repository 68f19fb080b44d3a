// attention 10: three loops on one core
//
// Idea     the definition, in float: a query's scores, their exponentials, and for each column of the result a sum of products.
// Change   the first version of the CPU's ladder.
// Expect   a score goes along a row of k; a result goes down a column of v, and uses 4 bytes of each line that it opens.
// Limit    every sum is one chain of additions: each waits for the one before, and nothing can be vectorised.
#include <math.h>

#include "private.h"

// Scores and weights of one query are in the workspace.
static void attend(const attention_native *n, const attention_queries *r) {
    const attention_problem *p = &n->p;
    const float *q = (const float *)n->q + attention_row(&p->q, r->b, r->head, r->s.query + r->query);
    const float *k = n->k, *v = n->v, *mask = n->mask;
    float *weights = n->workspace, *out = n->out, most = -INFINITY, sum = 0.0f;
    attention_span seen = attention_span_of(p, &r->s, r->query);
    for (uint64_t j = seen.first; j < seen.end; j++) {
        uint64_t row = attention_row(&p->kv, r->b, r->kv_head, r->s.key + j);
        float score = 0.0f;
        for (uint64_t d = 0; d < p->dimension; d++) score += q[d] * k[row + d];
        score *= (float)p->scale;
        if (mask) score += mask[attention_row(&p->mask, r->b, r->head, r->query) + j];
        weights[j] = score;
        most = fmaxf(most, score);
    }
    float base = most == -INFINITY ? 0.0f : most;
    for (uint64_t j = seen.first; j < seen.end; j++) sum += weights[j] = expf(weights[j] - base);
    for (uint64_t d = 0; d < p->dimension; d++) {
        float value = 0.0f;
        for (uint64_t j = seen.first; j < seen.end; j++)
            value += weights[j] * v[attention_row(&p->kv, r->b, r->kv_head, r->s.key + j) + d];
        out[attention_row(&p->out, r->b, r->head, r->s.query + r->query) + d] =
            sum == 0.0f ? 0.0f : value / sum;
    }
    if (n->lse) n->lse[attention_lse_index(p, r->b, r->head, r->s.query + r->query)] = most + logf(sum);
}

static void f32(const kz_native_launch *launch) {
    attention_native n = attention_native_of(launch, KZ_F32);
    uint64_t rows = n.p.sequences_of_arrays * n.p.heads * n.p.queries;
    for (uint64_t at = 0; at < rows; at++) {
        attention_queries r = attention_native_row(&n, at);
        attend(&n, &r);
    }
}

const kz_native_entry attention_cpu_naive_natives[] = {{"attention_cpu_naive_any_f32", f32}, {0}};
