// What the C files of attention_backward share.
#ifndef ATTENTION_BACKWARD_PRIVATE_H
#define ATTENTION_BACKWARD_PRIVATE_H

#include "ml_ops/attention_case.h"

// Where the buffers are: q, k, v, what the mask needs, then out, dout, lse, dq, dk, dv.
enum { Q, K, V };
typedef struct backward_arrays {
    attention_inputs inputs;
    int out, dout, lse, dq, dk, dv;
    size_t count;
} backward_arrays;
backward_arrays backward_list(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS]);
attention_sources backward_sources(const backward_arrays *at, void *const *host);

KZ_DECLARE_FAMILY(attention_backward);
extern const kz_variant attention_backward_variants[];
enum { ATTENTION_BACKWARD_VARIANTS = 13 };
extern const kz_native_entry attention_backward_natives[];

// ---- what natives are given ------------------------------------------------------------------------------

typedef struct backward_job {
    attention_problem p;
    const void *q, *k, *v, *dout, *mask;
    const float *rows; // pairs, as attention_backward.cuh has them
    const int32_t *query_offsets, *key_offsets;
    void *dq, *dk, *dv, *workspace;
} backward_job;
backward_job backward_job_of(const kz_native_launch *launch, kz_type type);
void backward_prepare(const kz_native_launch *launch, kz_type type); // fills the rows

// Head `at` of the keys of all sequences, and the heads of queries that share it.
typedef struct backward_heads {
    uint64_t b, kv_head, first, end;
    attention_sequence s;
} backward_heads;
backward_heads backward_heads_of(const backward_job *j, uint64_t at);
uint64_t backward_keys_written(const backward_job *j, const backward_heads *h);

// ---- 11 to 13, in cpu.c ------------------------------------------------------------------------------------

// What they differ in. multiply: c += a b, of rows a multiple of 4 and columns a multiple of 16. powers: x becomes 2^x, of a multiple
// of 8.
typedef struct backward_steps {
    const char *name;
    void (*multiply)(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                     uint64_t c_pitch, uint64_t rows, uint64_t columns, uint64_t depth);
    void (*powers)(float *x, uint64_t count);
} backward_steps;
extern const backward_steps backward_steps_plain, backward_steps_vectors;
#ifdef __x86_64__
extern const backward_steps backward_steps_avx2;
#endif
uint64_t backward_cpu_bytes(const attention_problem *p); // of a block
void backward_cpu(const kz_native_launch *launch, kz_type type, const backward_steps *steps);

extern const kz_native_entry attention_backward_cpu_naive_natives[], attention_backward_cpu_blocked_natives[],
    attention_backward_cpu_simd_natives[];

kz_status attention_backward_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                       double *bound, kz_error *error);

#endif
