// attention_decode 00: plain C on the `cpu` device
//
// Idea     query by query, the formula: scores of the keys it sees, their exponentials, the weighted sum of the values.
// Change   none: it stands before the ladder. Each block of the grid takes a run of queries and keeps one row of
//          weights, in double.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>

#include "private.h"

typedef struct job {
    decode_problem p;
    const void *q, *k, *v;
    const int32_t *lengths, *page_table;
    const float *k_scale, *v_scale;
    void *out;
    float *lse;
    double *weights; // a row of keys
} job;

static kz_attention_decode_strides strides_at(const kz_native_launch *launch, size_t first) {
    return (kz_attention_decode_strides){kz_native_u64(launch, first), kz_native_u64(launch, first + 1),
                                         kz_native_u64(launch, first + 2)};
}

// Row by row what DECODE_PARAMETERS of decode.cuh says.
static job job_of(const kz_native_launch *launch, kz_type type, bool fp8) {
    job j = {.q = kz_native_pointer(launch, 0),
             .k = kz_native_pointer(launch, 1),
             .v = kz_native_pointer(launch, 2),
             .lengths = kz_native_pointer(launch, 3),
             .page_table = kz_native_pointer(launch, 4),
             .k_scale = kz_native_pointer(launch, 5),
             .v_scale = kz_native_pointer(launch, 6),
             .out = kz_native_pointer(launch, 7),
             .lse = kz_native_pointer(launch, 8)};
    j.p = (decode_problem){.type = type,
                           .fp8 = fp8,
                           .paged = j.page_table != NULL,
                           .batch = kz_native_u64(launch, 9),
                           .heads = kz_native_u64(launch, 10),
                           .kv_heads = kz_native_u64(launch, 11),
                           .queries = kz_native_u64(launch, 12),
                           .keys = kz_native_u64(launch, 13),
                           .dimension = kz_native_u64(launch, 14),
                           .scale = *(const float *)launch->args[15],
                           .page = kz_native_u64(launch, 16),
                           .pages = kz_native_u64(launch, 17),
                           .table = kz_native_u64(launch, 18),
                           .q = strides_at(launch, 19),
                           .kv = strides_at(launch, 22),
                           .out = strides_at(launch, 25)};
    j.weights = (double *)kz_native_pointer(launch, 28) + launch->block_index[0] * j.p.keys;
    return j;
}

// The exponentials of a row's scores less the greatest, which is returned; the sum is left to the caller.
static double weigh(const job *j, uint64_t b, uint64_t head, uint64_t query, uint64_t seen, double *sum) {
    const decode_problem *p = &j->p;
    uint64_t kv_head = head / (p->heads / p->kv_heads), q = decode_row(&p->q, b, head, query);
    double most = (double)-INFINITY, scale = (double)p->scale;
    if (p->fp8) scale *= (double)j->k_scale[kv_head];
    for (uint64_t c = 0; c < seen; c++) {
        uint64_t k = decode_cache_row(p, j->page_table, b, kv_head, c);
        double score = 0.0;
        for (uint64_t d = 0; d < p->dimension; d++)
            score += kz_element_get(p->type, j->q, q + d) * decode_number(p, j->k, k + d);
        score = j->weights[c] = score * scale;
        most = isnan(score) || score > most ? score : most;
    }
    if (most == (double)-INFINITY) most = 0.0;
    for (uint64_t c = 0; c < seen; c++) *sum += j->weights[c] = exp(j->weights[c] - most);
    return most;
}

static void attend(const kz_native_launch *launch, kz_type type, bool fp8) {
    job j = job_of(launch, type, fp8);
    const decode_problem *p = &j.p;
    kz_share own = kz_native_share(launch, p->batch * p->heads * p->queries);
    for (uint64_t at = own.begin; at < own.end; at++) {
        uint64_t b = at / (p->heads * p->queries), head = at / p->queries % p->heads, query = at % p->queries;
        uint64_t kv_head = head / (p->heads / p->kv_heads), row = decode_row(&p->out, b, head, query);
        uint64_t seen = decode_seen(p, decode_length(p, j.lengths, b), query);
        double sum = 0.0, most = weigh(&j, b, head, query, seen, &sum);
        for (uint64_t d = 0; d < p->dimension; d++) {
            double value = 0.0;
            for (uint64_t c = 0; c < seen; c++)
                value += j.weights[c] *
                         decode_number(p, j.v, decode_cache_row(p, j.page_table, b, kv_head, c) + d);
            if (fp8) value *= (double)j.v_scale[kv_head];
            kz_element_set(type, j.out, row + d, sum == 0.0 ? value * 0.0 : value / sum);
        }
        if (j.lse) j.lse[at] = (float)(most + log(sum));
    }
}

#define ENTRY(type, TYPE)                                                                                    \
    static void any_##type(const kz_native_launch *launch) { attend(launch, KZ_##TYPE, false); }             \
    static void fp8_##type(const kz_native_launch *launch) { attend(launch, KZ_##TYPE, true); }
ENTRY(f32, F32)
ENTRY(f16, F16)
ENTRY(bf16, BF16)

const kz_native_entry attention_decode_natives[] = {{"attention_decode_native_any_f32", any_f32},
                                                    {"attention_decode_native_any_f16", any_f16},
                                                    {"attention_decode_native_any_bf16", any_bf16},
                                                    {"attention_decode_native_fp8_f32", fp8_f32},
                                                    {"attention_decode_native_fp8_f16", fp8_f16},
                                                    {"attention_decode_native_fp8_bf16", fp8_bf16},
                                                    {0}};
