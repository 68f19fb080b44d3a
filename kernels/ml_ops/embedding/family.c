// embedding: rows of a table by id, and the gradient of the table. Cases, work and the public operation; plans.c has the plans.
//
// Axes: tokens, vocabulary, dim, skew (how a case's ids lie, see private.h), padding (the padding id + 1; 0: none). Buffers of
// gather: table of vocabulary * dim elements, ids, rows of tokens * dim. Of gradient: d_rows, ids, d_table. Kernels that gather
// are named for an element's size.
#include "embedding.h"

#include "private.h"

static const char *const operations[] = {"gather", "gradient", "gather_i64", "gradient_i64", NULL};

static uint64_t row_elements(const kz_case *c) { return (uint64_t)c->axes[TOKENS] * (uint64_t)c->axes[DIM]; }
static uint64_t table_elements(const kz_case *c) {
    return (uint64_t)c->axes[VOCABULARY] * (uint64_t)c->axes[DIM];
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    kz_type ids = embedding_is_i64(c) ? KZ_I64 : KZ_I32;
    list[IDS] = (kz_buffer){"ids", KZ_INPUT, ids, (uint64_t)c->axes[TOKENS]};
    if (embedding_is_gradient(c)) {
        list[D_ROWS] = (kz_buffer){"d_rows", KZ_INPUT, c->type, row_elements(c)};
        list[D_TABLE] = (kz_buffer){"d_table", KZ_OUTPUT, c->type, table_elements(c)};
    } else {
        list[TABLE] = (kz_buffer){"table", KZ_INPUT, c->type, table_elements(c)};
        list[ROWS] = (kz_buffer){"rows", KZ_OUTPUT, c->type, row_elements(c)};
    }
    return 3;
}

static kz_entry entry(const kz_case *c) {
    return embedding_is_gradient(c) ? (kz_entry){"gradient", c->type}
                                    : (kz_entry){"gather", kz_type_of_size(kz_type_size(c->type))};
}

// Rows of the table that a gather reads: each once, and of ids that repeat no more than there are.
static double rows_read(const kz_case *c) {
    if (c->axes[SKEW] == ONE_ID) return c->axes[TOKENS] && c->axes[VOCABULARY];
    return (double)kz_min_u64((uint64_t)c->axes[TOKENS], (uint64_t)c->axes[VOCABULARY]);
}

static kz_work work(const kz_case *c) {
    double size = (double)kz_type_size(c->type), dim = (double)c->axes[DIM], tokens = (double)c->axes[TOKENS];
    double ids = tokens * (embedding_is_i64(c) ? 8.0 : 4.0);
    if (!embedding_is_gradient(c)) return (kz_work){.bytes = ids + (tokens + rows_read(c)) * dim * size};
    return (kz_work){.bytes = ids + (tokens + (double)c->axes[VOCABULARY]) * dim * size,
                     .flops = tokens * dim};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = 0; i < 3; i++) args[i] = kz_arg_buffer(i);
    for (size_t i = TOKENS; i <= DIM; i++) args[3 + i] = kz_arg_u64((uint64_t)c->axes[i]);
    args[6] = kz_arg_u64((uint64_t)c->axes[PADDING]);
    return embedding_is_gradient(c) ? 7 : 6;
}

static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return variant->unordered && embedding_is_gradient(c);
}

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[TOKENS]; }

// ---- cases -------------------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, n, v, d, s, u, ...)                                                                       \
    {.operation = o, .type = KZ_##t, .axes = {n, v, d, s}, .use = u, __VA_ARGS__}
#define CHECK(o, t, n, v, d, s, ...) CASE(o, t, n, v, d, s, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, n, v, d, s)      CASE(o, t, n, v, d, s, KZ_USE_BENCH)
#define PADDED(o, t, n, v, d, s, id)                                                                         \
    {.operation = o, .type = KZ_##t, .axes = {n, v, d, s, (id) + 1}, .use = KZ_USE_CHECK}
#define GATHER     0
#define GRADIENT   EMBEDDING_GRADIENT
#define GATHER_64  EMBEDDING_I64
#define GRADIENT_64 (EMBEDDING_GRADIENT | EMBEDDING_I64)
// Rows of whole packs and of none, ids of every kind.
#define GATHER_EDGES(t)                                                                                      \
    CHECK(GATHER, t, 33, 50, 24, UNIFORM), CHECK(GATHER, t, 37, 50, 7, OUTSIDE),                             \
    CHECK(GATHER, t, 65, 1000, 40, ZIPF, .misalign = 1), CHECK(GATHER_64, t, 37, 50, 16, OUTSIDE),           \
    CHECK(GATHER, t, 50, 60, 16, DISTINCT), KZ_NOT_FINITE(CHECK, GATHER, t, 20, 30, 16, UNIFORM)
#define GRADIENT_EDGES(t)                                                                                    \
    CHECK(GRADIENT, t, 300, 50, 24, UNIFORM), CHECK(GRADIENT, t, 300, 50, 7, OUTSIDE),                       \
    CHECK(GRADIENT, t, 2500, 700, 16, ZIPF), CHECK(GRADIENT, t, 333, 20, 5, ZIPF, .misalign = 1),            \
    CHECK(GRADIENT, t, 1111, 9, 8, ONE_ID), CHECK(GRADIENT, t, 100, 130, 16, DISTINCT),                      \
    CHECK(GRADIENT_64, t, 300, 50, 16, OUTSIDE), PADDED(GRADIENT, t, 300, 50, 16, ZIPF, 0),                  \
    KZ_NOT_FINITE(CHECK, GRADIENT, t, 200, 60, 16, UNIFORM)
// A model's batch of tokens: the vocabularies and rows of GPT-2 and of Llama 3 8B.
#define GATHER_BENCHES(t)                                                                                    \
    BENCH(GATHER, t, 65536, 128256, 4096, DISTINCT), BENCH(GATHER, t, 65536, 128256, 4096, ZIPF),            \
    BENCH(GATHER, t, 65536, 50257, 768, UNIFORM)
#define GRADIENT_BENCHES(t)                                                                                  \
    BENCH(GRADIENT, t, 65536, 128256, 4096, ZIPF), BENCH(GRADIENT, t, 65536, 50257, 768, ZIPF),              \
    BENCH(GRADIENT, t, 65536, 50257, 768, UNIFORM), BENCH(GRADIENT, t, 65536, 50257, 768, ONE_ID)
// clang-format on

static const kz_case cases[] = {
    CHECK(GATHER, F32, 0, 10, 8, UNIFORM),
    CHECK(GATHER, F32, 10, 10, 0, UNIFORM),
    CHECK(GATHER, F16, 10, 0, 8, UNIFORM), // no id names a row
    CHECK(GATHER, F32, 1, 1, 1, UNIFORM),
    CHECK(GATHER, F32, 5, 1, 64, UNIFORM),
    CHECK(GATHER, F32, 40, 9, 12, ONE_ID),
    CHECK(GATHER, F32, 20, 30, 16, UNIFORM, .data = KZ_DATA_DENORMAL),
    CHECK(GATHER, BF16, 20, 30, 16, UNIFORM, .data = KZ_DATA_LARGE),
    CHECK(GATHER, F16, 20, 30, 16, UNIFORM, .data = KZ_DATA_ZEROS),
    PADDED(GATHER, F32, 40, 9, 12, ZIPF, 3), // whose row is read like any other
    GATHER_EDGES(F32),
    GATHER_EDGES(F16),
    GATHER_EDGES(BF16),
    CHECK(GRADIENT, F32, 0, 10, 8, UNIFORM),
    CHECK(GRADIENT, BF16, 0, 10, 7, UNIFORM),
    CHECK(GRADIENT, F32, 10, 0, 8, UNIFORM),
    CHECK(GRADIENT, F32, 1, 1, 1, UNIFORM),
    CHECK(GRADIENT, F16, 1, 511, 8, UNIFORM),   // one digit, all of it
    CHECK(GRADIENT, F16, 70, 512, 8, UNIFORM),  // ten bits: two digits
    CHECK(GRADIENT, F32, 300, 300000, 1, ZIPF), // three
    CHECK(GRADIENT, F32, 70000, 5, 4, ZIPF),    // more than 32 tiles of the sort, large pieces
    CHECK(GRADIENT, F16, 4097, 3, 8, ONE_ID),
    CHECK(GRADIENT, BF16, 9000, 3, 3, ZIPF),
    CHECK(GRADIENT, F32, 300, 20, 8, UNIFORM, .data = KZ_DATA_ZEROS),
    CHECK(GRADIENT, F32, 300, 20, 8, UNIFORM, .data = KZ_DATA_EQUAL),
    // Not for f32 and bf16: the hardware's atomic addition takes denormals as zero. embedding_test.c has them.
    CHECK(GRADIENT, F16, 300, 20, 8, UNIFORM, .data = KZ_DATA_DENORMAL),
    CHECK(GRADIENT, F16, 300, 200, 8, UNIFORM, .data = KZ_DATA_LARGE), // some sums leave the type's range
    PADDED(GRADIENT, F32, 1111, 9, 8, ONE_ID, 4),                      // nothing is left to add
    GRADIENT_EDGES(F32),
    GRADIENT_EDGES(F16),
    GRADIENT_EDGES(BF16),
    GATHER_BENCHES(F32),
    GATHER_BENCHES(BF16),
    BENCH(GATHER, BF16, 64, 128256, 4096, UNIFORM), // a step of decoding
    BENCH(GATHER_64, BF16, 65536, 128256, 4096, DISTINCT),
    BENCH(GATHER, F32, 1 << 20, 1 << 22, 64, UNIFORM),
    GRADIENT_BENCHES(F32),
    GRADIENT_BENCHES(BF16),
    BENCH(GRADIENT_64, BF16, 65536, 128256, 4096, ZIPF),
    BENCH(GRADIENT, F32, 1 << 20, 1 << 22, 64, ZIPF),
    CASE(GATHER, BF16, 262147, 50257, 8200, ZIPF, KZ_USE_HUGE),
    CASE(GRADIENT, BF16, 262147, 50257, 8200, ZIPF, KZ_USE_HUGE),
};

// By hand: 10 rows of 8 read and written, 10 ids; 10 rows read, 100 written; one row of the table is read, i64.
static const kz_worked worked[] = {
    {{.operation = GATHER, .type = KZ_F32, .axes = {10, 100, 8}}, {4 * 160 + 40, 0}},
    {{.operation = GRADIENT, .type = KZ_F16, .axes = {10, 100, 8}}, {2 * 880 + 40, 80}},
    {{.operation = GATHER_64, .type = KZ_F16, .axes = {10, 100, 8, ONE_ID}}, {2 * 88 + 80, 0}},
};

const kz_family kz_family_embedding = {
    .name = "embedding",
    .group = "ml_ops",
    .summary = "rows of a table by id, and the gradient of the table",
    .operations = operations,
    .axes = (const char *const[]){"tokens", "vocabulary", "dim", "skew", "padding", NULL},
    .axes_note = "skew, the ids: 0 uniform, 1 by Zipf's law, 2 all equal, 3 all distinct, 4 some outside of "
                 "the table; padding: the id + 1, 0 is none",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = embedding_variants,
    .variant_count = EMBEDDING_VARIANTS,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_embedding,
    .entry = entry,
    .buffers = buffers,
    .fill = embedding_fill,
    .reference = embedding_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature =
        "const T *table, const int *ids, T *rows, size_t tokens, size_t vocabulary, size_t dim\n"
        "gather_i64-*: const T *table, const long long *ids, T *rows, size_t tokens, size_t vocabulary, "
        "size_t dim\n"
        "gradient-*: const T *d_rows, const int *ids, T *d_table, size_t tokens, size_t vocabulary, size_t "
        "dim, "
        "size_t padding\n"
        "gradient_i64-*: const T *d_rows, const long long *ids, T *d_table, size_t tokens, size_t "
        "vocabulary, "
        "size_t dim, size_t padding",
    .guest_args = guest_args,
    .size = size,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------------

static kz_status open_operation(kz_device *device, uint32_t operation, kz_type type, kz_type id_type,
                                const int64_t axes[5], const char *variant, kz_operation **opened,
                                kz_error *error) {
    if (device && opened && id_type != KZ_I32 && id_type != KZ_I64) // what is NULL is refused below
        return kz_fail(error, KZ_UNSUPPORTED, "embedding: ids of type %s\nids are KZ_I32 or KZ_I64",
                       kz_type_name(id_type));
    kz_case c = {.operation = operation | (id_type == KZ_I64 ? EMBEDDING_I64 : 0), .type = type};
    for (int i = 0; i < 5; i++) c.axes[i] = axes[i];
    return kz_operation_open_family(device, &kz_family_embedding, &c, variant, opened, error);
}

kz_status kz_embedding_gather_open(kz_device *device, kz_type type, kz_type id_type, size_t tokens,
                                   size_t vocabulary, size_t dim, const char *variant,
                                   kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    const int64_t axes[] = {(int64_t)tokens, (int64_t)vocabulary, (int64_t)dim, UNIFORM, 0};
    return open_operation(device, GATHER, type, id_type, axes, variant, operation, error);
}

kz_status kz_embedding_gather_run(kz_operation *operation, kz_stream *stream, kz_ptr table, kz_ptr ids,
                                  kz_ptr rows, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){table, ids, rows}, 3, 0, 0, error);
}

kz_status kz_embedding_gradient_open(kz_device *device, kz_type type, kz_type id_type, size_t tokens,
                                     size_t vocabulary, size_t dim, int64_t padding, const char *variant,
                                     kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if (device && operation && (padding < -1 || (padding >= 0 && (size_t)padding >= vocabulary)))
        return kz_fail(
            error, KZ_INVALID,
            "kz_embedding_gradient_open: the padding id is %lld, and the table has %zu rows\npass the id of "
            "one of them, or -1 where no id is for padding",
            (long long)padding, vocabulary);
    const int64_t axes[] = {(int64_t)tokens, (int64_t)vocabulary, (int64_t)dim, UNIFORM, padding + 1};
    return open_operation(device, GRADIENT, type, id_type, axes, variant, operation, error);
}

kz_status kz_embedding_gradient_run(kz_operation *operation, kz_stream *stream, kz_ptr d_rows, kz_ptr ids,
                                    kz_ptr d_table, kz_ptr workspace, uint64_t workspace_bytes,
                                    kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){d_rows, ids, d_table}, 3, workspace,
                            workspace_bytes, error);
}
