// attention_backward: the gradients of attention. Buffers, cases, work and the public operation; plans.c has the plans.
//
// Axes: batch, heads, kv_heads, queries, keys, dimension; attention_case.h has what a mask needs.
#include "attention_backward.h"

#include <stdlib.h>

#include "private.h"

backward_arrays backward_list(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    backward_arrays at = {.count = 3};
    uint64_t of_q = attention_extent(p, &p->q, p->heads, p->queries);
    uint64_t of_keys = attention_extent(p, &p->kv, p->kv_heads, p->keys);
    uint64_t of_out = attention_extent(p, &p->out, p->heads, p->queries);
    list[Q] = (kz_buffer){"q", KZ_INPUT, p->type, of_q};
    list[K] = (kz_buffer){"k", KZ_INPUT, p->type, of_keys};
    list[V] = (kz_buffer){"v", KZ_INPUT, p->type, of_keys};
    at.inputs = attention_add_inputs(p, list, &at.count);
    list[at.out = (int)at.count++] = (kz_buffer){"out", KZ_INPUT, p->type, of_out};
    list[at.dout = (int)at.count++] = (kz_buffer){"dout", KZ_INPUT, p->type, of_out};
    list[at.lse = (int)at.count++] = (kz_buffer){"lse", KZ_INPUT, KZ_F32, attention_lse_count(p)};
    list[at.dq = (int)at.count++] = (kz_buffer){"dq", KZ_OUTPUT, p->type, of_q};
    list[at.dk = (int)at.count++] = (kz_buffer){"dk", KZ_OUTPUT, p->type, of_keys};
    list[at.dv = (int)at.count++] = (kz_buffer){"dv", KZ_OUTPUT, p->type, of_keys};
    return at;
}

static const void *host_or_null(void *const *host, int index) { return index < 0 ? NULL : host[index]; }

attention_sources backward_sources(const backward_arrays *at, void *const *host) {
    return (attention_sources){.q = host[Q],
                               .k = host[K],
                               .v = host[V],
                               .mask = host_or_null(host, at->inputs.mask),
                               .query_offsets = host_or_null(host, at->inputs.query_offsets),
                               .key_offsets = host_or_null(host, at->inputs.key_offsets)};
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    attention_problem p = attention_problem_of(c);
    return backward_list(&p, list).count;
}

// Small cases have scores far apart; large ones keep the harness's numbers, which come many times as fast.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    if (which >= buffers(c, list)) return false;
    if (which > V) return attention_fill_input(c, list[which].name, seed, first, count, host);
    if (which == V || c->data != KZ_DATA_UNIFORM || list[which].count > 1 << 20) return false;
    attention_fill_wide(c, which, seed, first, count, host);
    return true;
}

// out and lse, as a forward pass leaves them. Without the memory for it they stay as they are, and no answer is right.
static void derive(const kz_case *c, void *const *host) {
    attention_problem p = attention_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    backward_arrays at = backward_list(&p, list);
    attention_sources from = backward_sources(&at, host);
    uint64_t of_out = list[at.out].count, of_lse = list[at.lse].count;
    double *out = malloc((of_out + of_lse + 1) * sizeof *out), *lse = out + of_out;
    if (!out) return;
    for (uint64_t i = 0; i < of_out + of_lse; i++) out[i] = 0.0;
    if (attention_forward(&p, &from, &(attention_answer){.out = out, .lse = lse}, NULL) == KZ_OK) {
        for (uint64_t i = 0; i < of_out; i++) kz_element_set(p.type, host[at.out], i, out[i]);
        for (uint64_t i = 0; i < of_lse; i++) ((float *)host[at.lse])[i] = (float)lse[i];
    }
    free(out);
}

// Five products of 2 flops for each pair of a query and a key that it sees. Four arrays like q and four like k move, and lse.
static kz_work work(const kz_case *c) {
    attention_problem p = attention_problem_of(c);
    double d = (double)p.dimension, arrays = (double)p.sequences_of_arrays, heads = (double)p.heads;
    double rows = arrays * 4.0 * (heads * (double)p.queries + (double)p.kv_heads * (double)p.keys);
    double lse = arrays * heads * (double)p.queries * 4.0;
    if (p.batch == 0) rows = lse = 0.0;
    double mask = p.operation == KZ_ATTENTION_ADDITIVE
                      ? (double)p.batch * (p.mask.head ? heads : 1.0) * (double)p.queries * (double)p.keys
                      : 0.0;
    return (kz_work){.bytes = (rows * d + mask) * (double)kz_type_size(c->type) + lse,
                     .flops = 10.0 * heads * attention_pairs(&p) * d,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, b, h, g, q, k, d, u, ...)                                                                 \
    {.operation = KZ_ATTENTION_##o, .type = KZ_##t, .axes = {b, h, g, q, k, d}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, h, g, q, k, d, ...) CASE(o, t, b, h, g, q, k, d, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, h, g, q, k, d) CASE(o, t, b, h, g, q, k, d, KZ_USE_BENCH)
// One query, fewer queries than keys, tiles and a bit; grouped heads.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 2, 1, 1, 1, 70, 16), CHECK(o, t, 2, 4, 2, 17, 33, 64), CHECK(o, t, 1, 2, 1, 130, 150, 32), \
    CHECK(o, t, 1, 1, 1, 65, 65, 24, .misalign = 1)
#define MASKS(list, t) \
    list(FULL, t), list(CAUSAL, t), list(WINDOW, t), list(PADDED, t), list(PACKED, t), list(PACKED_CAUSAL, t), list(ADDITIVE, t)
#define DIMENSIONS(t) \
    CHECK(CAUSAL, t, 1, 1, 1, 70, 100, 96), CHECK(FULL, t, 1, 2, 1, 66, 129, 128), CHECK(WINDOW, t, 1, 1, 1, 140, 140, 64), \
    CHECK(CAUSAL, t, 1, 1, 1, 35, 70, 256), CHECK(PADDED, t, 3, 1, 1, 10, 90, 128), CHECK(PACKED_CAUSAL, t, 4, 2, 1, 150, 150, 64)
#define SPECIALS(t)                                                                                          \
    KZ_NOT_FINITE(CHECK, FULL, t, 1, 2, 1, 9, 40, 8), KZ_NOT_FINITE(CHECK, CAUSAL, t, 1, 2, 2, 70, 70, 64), \
    KZ_NOT_FINITE(CHECK, PADDED, t, 4, 1, 1, 9, 70, 64), KZ_NOT_FINITE(CHECK, PACKED, t, 4, 1, 1, 70, 70, 64), \
    CHECK(FULL, t, 1, 1, 1, 3, 300, 8, .data = KZ_DATA_POSITIVE), CHECK(FULL, t, 1, 1, 1, 3, 33, 64, .data = KZ_DATA_ZEROS), \
    CHECK(CAUSAL, t, 1, 1, 1, 70, 5, 64), /* more queries than keys: the first see none */ \
    CHECK(FULL, t, 2, 4, 2, 20, 40, 64, .detail = &tokens_first), CHECK(CAUSAL, t, 2, 4, 2, 40, 40, 128, .detail = &in_one_array)
// A model's training step, longer ones, and one long prompt.
#define BENCHES(o, t)                                                                                        \
    BENCH(o, t, 8, 16, 16, 1024, 1024, 64), BENCH(o, t, 4, 16, 16, 2048, 2048, 128), BENCH(o, t, 1, 16, 16, 8192, 8192, 128), \
    BENCH(o, t, 1, 32, 32, 8192, 8192, 64)
// clang-format on

// batch x tokens x heads x dimension, of two sequences of 20 queries and 40 keys, 4 and 2 heads of 64.
static const attention_detail tokens_first = {
    .scale = 0.25f, .q = {256, 64, 5120}, .kv = {128, 64, 5120}, .out = {256, 64, 5120}};
// q, k and v in one array of 8 heads of 128 for each of 40 tokens; out is dense.
static const attention_detail in_one_array = {.q = {1024, 128, 40960}, .kv = {1024, 128, 40960}};

static const kz_case cases[] = {
    CHECK(FULL, F32, 0, 2, 2, 3, 4, 8),
    CHECK(CAUSAL, F32, 2, 2, 2, 0, 4, 8), // no queries: dk and dv are zeros
    CHECK(FULL, F32, 2, 2, 1, 3, 0, 8),   // no keys: dq is
    CHECK(PACKED, F32, 3, 2, 1, 0, 0, 8),
    CHECK(FULL, BF16, 1, 1, 1, 200, 256, 128), // several tiles in which every query sees every key
    CHECK(CAUSAL, F16, 1, 2, 1, 300, 300, 64),
    CHECK(PACKED_CAUSAL, BF16, 4, 2, 1, 350, 350, 128),
    CHECK(FULL, F16, 1, 2, 1, 0, 70, 64),
    CHECK(FULL, BF16, 1, 2, 1, 70, 0, 64),
    CHECK(FULL, F32, 1, 1, 1, 1, 1, 1),
    CHECK(CAUSAL, F32, 1, 1, 1, 1, 1, 1),
    CHECK(FULL, F32, 1, 1, 1, 33, 5, 8), // more queries than keys
    MASKS(EDGES, F32),
    MASKS(EDGES, F16),
    EDGES(FULL, BF16),
    EDGES(PACKED_CAUSAL, BF16), // the masks are f16's code
    DIMENSIONS(F32),
    DIMENSIONS(F16),
    DIMENSIONS(BF16),
    SPECIALS(F32),
    SPECIALS(F16),
    KZ_NOT_FINITE(CHECK, CAUSAL, BF16, 1, 2, 2, 70, 70, 64),
    BENCH(FULL, F32, 8, 16, 16, 1024, 1024, 64),
    BENCH(CAUSAL, F32, 8, 16, 16, 1024, 1024, 64),
    BENCHES(FULL, F16),
    BENCHES(FULL, BF16),
    BENCHES(CAUSAL, F16),
    BENCHES(CAUSAL, BF16),
    BENCH(CAUSAL, BF16, 1, 64, 8, 4096, 4096, 128),
    BENCH(FULL, BF16, 1, 16, 16, 4096, 4096, 256),
    BENCH(WINDOW, BF16, 1, 16, 16, 8192, 8192, 128),
    BENCH(PADDED, BF16, 8, 16, 16, 2048, 2048, 128),
    BENCH(PACKED_CAUSAL, BF16, 8, 16, 16, 16384, 16384, 128),
    BENCH(ADDITIVE, BF16, 1, 16, 16, 4096, 4096, 128),
    CASE(FULL, F16, 1 << 20, 33, 33, 1, 1, 64, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[ATTENTION_KEYS]; }

static bool nondeterministic(const kz_case *c, const kz_variant *variant) { return variant->unordered; }

// Strides are more than a guest is told.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    attention_problem p = attention_problem_of(c);
    if (!attention_is_dense(c)) return 0;
    size_t count = backward_list(&p, list).count;
    for (size_t i = 0; i < count; i++) args[i] = kz_arg_buffer((uint32_t)i);
    for (size_t i = 0; i < KZ_CASE_AXES; i++) args[count++] = kz_arg_u64((uint64_t)c->axes[i]);
    args[count++] = kz_arg_f32((float)p.scale);
    args[count++] = kz_arg_u64(p.reach);
    return count;
}

// By hand: 2 sequences, each of 3 heads of 4 queries and 1 head of 5 keys, of 8 numbers each: 2 x 4 x (12 + 5) rows, and 24 floats
// of lse; 20 pairs per head, of which the causal mask takes 1 + 2 + 3.
static const kz_worked worked[] = {
    {{.operation = KZ_ATTENTION_FULL, .type = KZ_F16, .axes = {2, 3, 1, 4, 5, 8}},
     {2 * 68 * 16 + 96, 6 * 20 * 80}},
    {{.operation = KZ_ATTENTION_CAUSAL, .type = KZ_F16, .axes = {2, 3, 1, 4, 5, 8}},
     {2 * 68 * 16 + 96, 6 * 14 * 80}},
};

#define GRADIENTS                                                                                            \
    "const T *out, const T *dout, const float *lse, T *dq, T *dk, T *dv, size_t batch, size_t heads, "       \
    "size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale, size_t reach"

const kz_family kz_family_attention_backward = {
    .name = "attention_backward",
    .group = "ml_ops",
    .summary = "the gradients of attention: dq, dk and dv, for all of its masks and grouped heads",
    .operations = ATTENTION_OPERATION_NAMES,
    .axes = ATTENTION_AXES,
    .axes_note =
        "kv_heads: heads of k and v, which divide the heads; of packed sequences queries and keys count all",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = attention_backward_variants,
    .variant_count = ATTENTION_BACKWARD_VARIANTS,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_attention_backward,
    .buffers = buffers,
    .fill = fill,
    .derive = derive,
    .reference = attention_backward_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "sdpa", NULL},
    .guest_signature =
        "const T *q, const T *k, const T *v, " GRADIENTS
        "\npadded-*: const T *q, const T *k, const T *v, const int *key_lengths, " GRADIENTS
        "\npacked*: const T *q, const T *k, const T *v, const int *query_offsets, const int *key_offsets, "
        "" GRADIENTS "\nadditive-*: const T *q, const T *k, const T *v, const T *mask, " GRADIENTS,
    .guest_args = guest_args,
    .size = size,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_attention_backward_open(kz_device *device, kz_attention_operation which, kz_type type,
                                     const kz_attention_shape *shape, const char *variant,
                                     kz_operation **operation, kz_error *error) {
    attention_detail detail;
    kz_case c = {0};
    if (operation) *operation = NULL;
    kz_status status = KZ_OK;
    if (device && operation) // or kz_operation_open_family says which is NULL
        status = attention_case_of(shape, which, type, "kz_attention_backward_open", &detail, &c, error);
    if (status) return status;
    return kz_operation_open_family(device, &kz_family_attention_backward, &c, variant, operation, error);
}

kz_status kz_attention_backward_run(kz_operation *operation, kz_stream *stream,
                                    const kz_attention_backward_buffers *buffers, kz_ptr workspace,
                                    uint64_t workspace_bytes, kz_error *error) {
    if (!buffers || buffers->size != sizeof *buffers)
        return kz_fail(error, KZ_INVALID,
                       "kz_attention_backward_run: the buffers are NULL or of another version\nset their "
                       "size: kz_attention_backward_buffers buffers = {.size = sizeof buffers}");
    const kz_named_buffer named[] = {{"q", buffers->q},
                                     {"k", buffers->k},
                                     {"v", buffers->v},
                                     {"key_lengths", buffers->key_lengths},
                                     {"query_offsets", buffers->query_offsets},
                                     {"key_offsets", buffers->key_offsets},
                                     {"mask", buffers->mask},
                                     {"out", buffers->out},
                                     {"dout", buffers->dout},
                                     {"lse", buffers->lse},
                                     {"dq", buffers->dq},
                                     {"dk", buffers->dk},
                                     {"dv", buffers->dv}};
    return kz_operation_run_named(operation, stream, named, sizeof named / sizeof *named, workspace,
                                  workspace_bytes, error);
}
