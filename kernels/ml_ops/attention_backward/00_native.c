// attention_backward 00: plain C on the `cpu` device
//
// Idea     query by query: its p and ds, its row of dq, and what it adds to every row of dk and dv.
// Change   none: it stands before the ladder. Each block of the grid takes a run of the heads of keys, with all heads that share
//          them, and keeps their dk and dv in double.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>
#include <string.h>

#include "private.h"

static kz_attention_strides strides_at(const kz_native_launch *launch, size_t first) {
    return (kz_attention_strides){kz_native_u64(launch, first), kz_native_u64(launch, first + 1),
                                  kz_native_u64(launch, first + 2)};
}

// One by one what BACKWARD_PARAMETERS says.
backward_job backward_job_of(const kz_native_launch *launch, kz_type type) {
    backward_job j = {.q = kz_native_pointer(launch, 0),
                      .k = kz_native_pointer(launch, 1),
                      .v = kz_native_pointer(launch, 2),
                      .dout = kz_native_pointer(launch, 3),
                      .rows = kz_native_pointer(launch, 4),
                      .query_offsets = kz_native_pointer(launch, 5),
                      .key_offsets = kz_native_pointer(launch, 6),
                      .mask = kz_native_pointer(launch, 7),
                      .dq = kz_native_pointer(launch, 8),
                      .dk = kz_native_pointer(launch, 9),
                      .dv = kz_native_pointer(launch, 10),
                      .workspace = kz_native_pointer(launch, 31)};
    bool packed = j.query_offsets, padded = !packed && j.key_offsets;
    j.p = (attention_problem){.operation = padded ? KZ_ATTENTION_PADDED : KZ_ATTENTION_FULL,
                              .type = type,
                              .packed = packed,
                              .batch = kz_native_u64(launch, 11),
                              .heads = kz_native_u64(launch, 12),
                              .kv_heads = kz_native_u64(launch, 13),
                              .queries = kz_native_u64(launch, 14),
                              .keys = kz_native_u64(launch, 15),
                              .dimension = kz_native_u64(launch, 16),
                              .scale = (double)*(const float *)launch->args[17],
                              .reach = kz_native_u64(launch, 18),
                              .q = strides_at(launch, 19),
                              .kv = strides_at(launch, 22),
                              .out = strides_at(launch, 25),
                              .mask = strides_at(launch, 28)};
    j.p.sequences_of_arrays = packed ? 1 : j.p.batch;
    return j;
}

backward_heads backward_heads_of(const backward_job *j, uint64_t at) {
    uint64_t b = at / j->p.kv_heads, group = j->p.heads / j->p.kv_heads, kv_head = at % j->p.kv_heads;
    return (backward_heads){.b = b,
                            .kv_head = kv_head,
                            .first = kv_head * group,
                            .end = (kv_head + 1) * group,
                            .s = attention_sequence_of(&j->p, j->query_offsets, j->key_offsets, b)};
}

uint64_t backward_keys_written(const backward_job *j, const backward_heads *h) {
    return j->p.packed ? h->s.keys : j->p.keys;
}

void backward_prepare(const kz_native_launch *launch, kz_type type) {
    const void *out = kz_native_pointer(launch, 0), *dout = kz_native_pointer(launch, 1);
    const float *lse = kz_native_pointer(launch, 2);
    float *rows = kz_native_pointer(launch, 3);
    uint64_t heads = kz_native_u64(launch, 4), queries = kz_native_u64(launch, 5);
    kz_attention_strides strides = strides_at(launch, 7);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 10));
    for (uint64_t i = own.begin; i < own.end; i++) {
        uint64_t at = attention_row(&strides, i / (heads * queries), i / queries % heads, i % queries);
        double sum = 0.0;
        for (uint64_t d = 0; d < kz_native_u64(launch, 6); d++)
            sum += kz_element_get(type, out, at + d) * kz_element_get(type, dout, at + d);
        rows[2 * i] = isinf(lse[i]) && lse[i] < 0 ? INFINITY : lse[i] * 1.44269504f;
        rows[2 * i + 1] = (float)sum;
    }
}

typedef struct sums {
    double *weights, *slopes, *dk, *dv;
} sums;

static double dot(kz_type type, const void *a, uint64_t at, const void *b, uint64_t from, uint64_t count) {
    double sum = 0.0;
    for (uint64_t d = 0; d < count; d++)
        sum += kz_element_get(type, a, at + d) * kz_element_get(type, b, from + d);
    return sum;
}

// p and ds of one query.
static void weigh(const backward_job *j, const backward_heads *h, uint64_t head, uint64_t i,
                  attention_span seen, const sums *to) {
    const attention_problem *p = &j->p;
    uint64_t token = h->s.query + i, row = attention_lse_index(p, h->b, head, token);
    uint64_t q = attention_row(&p->q, h->b, head, token), g = attention_row(&p->out, h->b, head, token);
    for (uint64_t c = seen.first; c < seen.end; c++) {
        uint64_t key = attention_row(&p->kv, h->b, h->kv_head, h->s.key + c);
        double score = p->scale * dot(p->type, j->q, q, j->k, key, p->dimension);
        double slope = dot(p->type, j->dout, g, j->v, key, p->dimension);
        if (j->mask) score += kz_element_get(p->type, j->mask, attention_row(&p->mask, h->b, head, i) + c);
        to->weights[c] = exp2(score * 1.4426950408889634 - (double)j->rows[2 * row]);
        to->slopes[c] = to->weights[c] * (slope - (double)j->rows[2 * row + 1]);
    }
}

static void add_query(const backward_job *j, const backward_heads *h, uint64_t head, uint64_t i,
                      const sums *to) {
    const attention_problem *p = &j->p;
    uint64_t token = h->s.query + i;
    uint64_t q = attention_row(&p->q, h->b, head, token), g = attention_row(&p->out, h->b, head, token);
    attention_span seen = attention_span_of(p, &h->s, i);
    weigh(j, h, head, i, seen, to);
    for (uint64_t d = 0; d < p->dimension; d++) {
        double dq = 0.0, of_q = kz_element_get(p->type, j->q, q + d),
               of_g = kz_element_get(p->type, j->dout, g + d);
        for (uint64_t c = seen.first; c < seen.end; c++) {
            uint64_t key = attention_row(&p->kv, h->b, h->kv_head, h->s.key + c);
            dq += to->slopes[c] * kz_element_get(p->type, j->k, key + d);
            to->dk[c * p->dimension + d] += to->slopes[c] * of_q;
            to->dv[c * p->dimension + d] += to->weights[c] * of_g;
        }
        kz_element_set(p->type, j->dq, q + d, p->scale * dq);
    }
}

static void differentiate(const kz_native_launch *launch, kz_type type) {
    backward_job j = backward_job_of(launch, type);
    const attention_problem *p = &j.p;
    uint64_t elements = p->keys * p->dimension;
    kz_share own = kz_native_share(launch, p->batch * p->kv_heads);
    double *memory = (double *)j.workspace + launch->block_index[0] * 2 * (p->keys + elements);
    sums to = {memory, memory + p->keys, memory + 2 * p->keys, memory + 2 * p->keys + elements};
    for (uint64_t at = own.begin; at < own.end; at++) {
        backward_heads h = backward_heads_of(&j, at);
        memset(to.dk, 0, 2 * elements * sizeof *to.dk);
        for (uint64_t head = h.first; head < h.end; head++)
            for (uint64_t i = 0; i < h.s.queries; i++) add_query(&j, &h, head, i, &to);
        for (uint64_t c = 0; c < backward_keys_written(&j, &h); c++)
            for (uint64_t d = 0; d < p->dimension; d++) {
                uint64_t key = attention_row(&p->kv, h.b, h.kv_head, h.s.key + c) + d;
                kz_element_set(type, j.dk, key, p->scale * to.dk[c * p->dimension + d]);
                kz_element_set(type, j.dv, key, to.dv[c * p->dimension + d]);
            }
    }
}

static void rows_f32(const kz_native_launch *launch) { backward_prepare(launch, KZ_F32); }
static void rows_f16(const kz_native_launch *launch) { backward_prepare(launch, KZ_F16); }
static void rows_bf16(const kz_native_launch *launch) { backward_prepare(launch, KZ_BF16); }
static void f32(const kz_native_launch *launch) { differentiate(launch, KZ_F32); }
static void f16(const kz_native_launch *launch) { differentiate(launch, KZ_F16); }
static void bf16(const kz_native_launch *launch) { differentiate(launch, KZ_BF16); }

const kz_native_entry attention_backward_natives[] = {{"attention_backward_native_rows_any_f32", rows_f32},
                                                      {"attention_backward_native_rows_any_f16", rows_f16},
                                                      {"attention_backward_native_rows_any_bf16", rows_bf16},
                                                      {"attention_backward_native_any_f32", f32},
                                                      {"attention_backward_native_any_f16", f16},
                                                      {"attention_backward_native_any_bf16", bf16},
                                                      {0}};
