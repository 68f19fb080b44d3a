// attention_backward 10: loops on one core
//
// Idea     the definition, in float: p and ds of a query, its row of dq, and what it adds to each row of dk and dv.
// Change   the first version of the CPU's ladder. dk and dv are added up where they end.
// Expect   rows are gone through along memory. Scores and dp are chains of additions: each waits for the one before.
// Limit    k, v, dk and dv pass by for every query; once they are larger than the caches, memory sets the pace.
#include <math.h>
#include <string.h>

#include "private.h"

static float dot(const float *a, const float *b, uint64_t count) {
    float sum = 0.0f;
    for (uint64_t d = 0; d < count; d++) sum += a[d] * b[d];
    return sum;
}

static void add(float *restrict to, float factor, const float *restrict row, uint64_t count) {
    for (uint64_t d = 0; d < count; d++) to[d] += factor * row[d];
}

static void add_query(const backward_job *j, const backward_heads *h, uint64_t head, uint64_t i) {
    const attention_problem *p = &j->p;
    uint64_t token = h->s.query + i, at_q = attention_row(&p->q, h->b, head, token);
    const float *q = (const float *)j->q + at_q, *k = j->k, *v = j->v, *mask = j->mask;
    const float *dout = (const float *)j->dout + attention_row(&p->out, h->b, head, token);
    const float *row = j->rows + 2 * attention_lse_index(p, h->b, head, token);
    float *dq = (float *)j->dq + at_q, *dk = j->dk, *dv = j->dv, scale = (float)p->scale;
    attention_span seen = attention_span_of(p, &h->s, i);
    memset(dq, 0, p->dimension * sizeof *dq);
    for (uint64_t c = seen.first; c < seen.end; c++) {
        uint64_t at = attention_row(&p->kv, h->b, h->kv_head, h->s.key + c);
        float score = scale * dot(q, k + at, p->dimension);
        if (mask) score += mask[attention_row(&p->mask, h->b, head, i) + c];
        float weight = exp2f(score * 1.44269504f - row[0]);
        float slope = scale * weight * (dot(dout, v + at, p->dimension) - row[1]);
        add(dq, slope, k + at, p->dimension);
        add(dk + at, slope, q, p->dimension);
        add(dv + at, weight, dout, p->dimension);
    }
}

static void f32(const kz_native_launch *launch) {
    backward_job j = backward_job_of(launch, KZ_F32);
    float *dk = j.dk, *dv = j.dv;
    for (uint64_t at = 0; at < j.p.batch * j.p.kv_heads; at++) {
        backward_heads h = backward_heads_of(&j, at);
        for (uint64_t c = 0; c < backward_keys_written(&j, &h); c++) {
            uint64_t row = attention_row(&j.p.kv, h.b, h.kv_head, h.s.key + c);
            memset(dk + row, 0, j.p.dimension * sizeof *dk);
            memset(dv + row, 0, j.p.dimension * sizeof *dv);
        }
        for (uint64_t head = h.first; head < h.end; head++)
            for (uint64_t i = 0; i < h.s.queries; i++) add_query(&j, &h, head, i);
    }
}

static void rows(const kz_native_launch *launch) { backward_prepare(launch, KZ_F32); }

const kz_native_entry attention_backward_cpu_naive_natives[] = {
    {"attention_backward_cpu_naive_rows_any_f32", rows}, {"attention_backward_cpu_naive_any_f32", f32}, {0}};
