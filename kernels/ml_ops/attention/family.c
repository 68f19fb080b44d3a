// attention: softmax(q k^T / sqrt(dimension)) v, forward. Cases, work, plans and the table of variants.
//
// Axes: batch, heads, queries, keys, dimension. Buffers: q, out of batch x heads x queries x dimension elements, k, v of
// batch x heads x keys x dimension.
#include <math.h>

#include "private.h"

enum { THREADS = 256 };

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }
static uint64_t rows_of(const kz_case *c) { return axis(c, BATCH) * axis(c, HEADS) * axis(c, QUERIES); }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t of_keys = axis(c, BATCH) * axis(c, HEADS) * axis(c, KEYS) * axis(c, DIMENSION);
    list[Q] = (kz_buffer){"q", KZ_INPUT, c->type, rows_of(c) * axis(c, DIMENSION)};
    list[K] = (kz_buffer){"k", KZ_INPUT, c->type, of_keys};
    list[V] = (kz_buffer){"v", KZ_INPUT, c->type, of_keys};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, rows_of(c) * axis(c, DIMENSION)};
    return 4;
}

// Two products of 2 flops for each pair of a query and a key that it attends to; the softmax is not counted.
static kz_work work(const kz_case *c) {
    double heads = (double)c->axes[BATCH] * (double)c->axes[HEADS], d = (double)c->axes[DIMENSION];
    double queries = (double)c->axes[QUERIES], keys = (double)c->axes[KEYS], pairs = queries * keys;
    if (c->operation == KZ_ATTENTION_CAUSAL) pairs -= queries * (queries - 1.0) / 2.0;
    return (kz_work){.bytes = 2.0 * heads * (queries + keys) * d * (double)kz_type_size(c->type),
                     .flops = 4.0 * heads * pairs * d,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    if (rows_of(c) == 0) return KZ_OK;
    if (c->axes[KEYS] == 0)
        return kz_plan_refuse(p->error, "attention to no keys has no mean: give it one key or more");
    if (c->operation == KZ_ATTENTION_CAUSAL && c->axes[KEYS] < c->axes[QUERIES])
        return kz_plan_refuse(
            p->error,
            "causal attention of %lld queries to %lld keys leaves the first queries without one: "
            "give it as many keys as queries, or more",
            (long long)c->axes[QUERIES], (long long)c->axes[KEYS]);
    return KZ_OK;
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    uint64_t blocks = kz_min_u64(rows_of(p->c), (uint64_t)p->device->multiprocessors);
    if (status != KZ_OK || blocks == 0) return status;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(p->family, p->c, args);
    args[count++] = kz_arg_workspace(0); // a row of weights for each block
    p->plan->workspace_bytes = blocks * axis(p->c, KEYS) * sizeof(double);
    return KZ_LAUNCH(p, .blocks = blocks, .threads = 1, .args = args, .arg_count = count);
}

static kz_status plan_unfused(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    uint64_t rows = rows_of(c), scores = rows * axis(c, KEYS);
    if (status != KZ_OK || rows == 0) return status;
    p->plan->workspace_bytes = scores * sizeof(float);
    kz_arg heads = kz_arg_u64(axis(c, BATCH) * axis(c, HEADS)), queries = kz_arg_u64(axis(c, QUERIES)),
           keys = kz_arg_u64(axis(c, KEYS)), dimension = kz_arg_u64(axis(c, DIMENSION)),
           scale = kz_arg_f32(1.0f / sqrtf((float)c->axes[DIMENSION]));
    status = KZ_LAUNCH(p, .part = "scores", .blocks = kz_ceil_div(scores, THREADS), .threads = THREADS,
                       KZ_ARGS(kz_arg_buffer(Q), kz_arg_buffer(K), kz_arg_workspace(0), heads, queries, keys,
                               dimension, scale));
    const char *softmax = c->operation == KZ_ATTENTION_CAUSAL ? "attention_unfused_softmax_causal"
                                                              : "attention_unfused_softmax_full";
    if (!status)
        status = KZ_LAUNCH(p, .entry = softmax, .blocks = rows, .threads = THREADS,
                           KZ_ARGS(kz_arg_workspace(0), queries, keys));
    if (status) return status;
    return KZ_LAUNCH(
        p, .part = "product", .blocks = kz_ceil_div(rows * axis(c, DIMENSION), THREADS), .threads = THREADS,
        KZ_ARGS(kz_arg_workspace(0), kz_arg_buffer(V), kz_arg_buffer(OUT), heads, queries, keys, dimension));
}

static const kz_variant variants[] = {
    // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", attention_natives},
    {"01_unfused", 75, plan_unfused, "scores, softmax and product as three kernels"},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, b, h, q, k, d, u, ...)                                                                    \
    {.operation = KZ_ATTENTION_##o, .type = KZ_##t, .axes = {b, h, q, k, d}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, h, q, k, d, ...) CASE(o, t, b, h, q, k, d, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, h, q, k, d) CASE(o, t, b, h, q, k, d, KZ_USE_BENCH)
// One query, fewer queries than keys, tiles and a bit; dimensions that are a power of two or not.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 2, 1, 1, 70, 16), CHECK(o, t, 2, 3, 17, 33, 16), CHECK(o, t, 1, 1, 65, 65, 24, .misalign = 1), \
    KZ_NOT_FINITE(CHECK, o, t, 1, 2, 9, 40, 8)
#define BENCHES(o, t)                                                                                        \
    BENCH(o, t, 8, 16, 1024, 1024, 64), BENCH(o, t, 4, 16, 2048, 2048, 128), BENCH(o, t, 1, 16, 8192, 8192, 128)
// clang-format on

static const kz_case cases[] = {
    CHECK(FULL, F32, 0, 2, 3, 4, 8),
    CHECK(CAUSAL, F32, 2, 2, 0, 4, 8),
    CHECK(FULL, F32, 1, 1, 1, 1, 1),
    CHECK(CAUSAL, F32, 1, 1, 1, 1, 1),
    CHECK(FULL, F32, 1, 1, 33, 5, 8), // more queries than keys
    CHECK(FULL, F32, 1, 1, 3, 300, 8, .data = KZ_DATA_POSITIVE),
    CHECK(FULL, F16, 1, 1, 3, 300, 8, .data = KZ_DATA_POSITIVE),
    CHECK(FULL, F32, 1, 1, 3, 33, 8, .data = KZ_DATA_ZEROS),
    EDGES(FULL, F32),
    EDGES(FULL, F16),
    EDGES(FULL, BF16),
    EDGES(CAUSAL, F32),
    EDGES(CAUSAL, F16),
    EDGES(CAUSAL, BF16),
    BENCH(FULL, F32, 8, 16, 1024, 1024, 64),
    BENCH(CAUSAL, F32, 8, 16, 1024, 1024, 64),
    BENCHES(FULL, F16),
    BENCHES(FULL, BF16),
    BENCHES(CAUSAL, F16),
    BENCHES(CAUSAL, BF16),
    BENCH(FULL, BF16, 16, 32, 1, 4096, 128), // a decoder's step
    CASE(FULL, F16, 1 << 20, 33, 1, 1, 64, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, KEYS); }

// By hand: 2 x 3 heads of 4 queries and 5 keys, of 8 numbers each: 2 x 9 rows per head; 20 pairs, of which the
// causal mask takes 1 + 2 + 3.
static const kz_worked worked[] = {
    {{.operation = KZ_ATTENTION_FULL, .type = KZ_F16, .axes = {2, 3, 4, 5, 8}}, {6 * 18 * 16, 6 * 20 * 32}},
    {{.operation = KZ_ATTENTION_CAUSAL, .type = KZ_F16, .axes = {2, 3, 4, 5, 8}}, {6 * 18 * 16, 6 * 14 * 32}},
};

const kz_family kz_family_attention = {
    .name = "attention",
    .group = "ml_ops",
    .summary = "softmax(q k^T / sqrt(dimension)) v, forward; full and causal",
    .operations = (const char *const[]){"full", "causal", NULL},
    .axes = (const char *const[]){"batch", "heads", "queries", "keys", "dimension", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_attention,
    .buffers = buffers,
    .reference = attention_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "sdpa", "triton", NULL},
    .guest_signature =
        "const T *q, const T *k, const T *v, T *out, size_t batch, size_t heads, size_t queries, "
        "size_t keys, size_t dimension",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_attention_open(kz_device *device, kz_attention_operation which, kz_type type, size_t batch,
                            size_t heads, size_t queries, size_t keys, size_t dimension, const char *variant,
                            kz_operation **operation, kz_error *error) {
    kz_case c = {
        .operation = which,
        .type = type,
        .axes = {(int64_t)batch, (int64_t)heads, (int64_t)queries, (int64_t)keys, (int64_t)dimension}};
    return kz_operation_open_family(device, &kz_family_attention, &c, variant, operation, error);
}

kz_status kz_attention_run(kz_operation *operation, kz_stream *stream, kz_ptr q, kz_ptr k, kz_ptr v,
                           kz_ptr out, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){q, k, v, out}, 4, workspace, workspace_bytes,
                            error);
}
