// gemm_types: c = a * b by tensor cores, of numbers that are not halves. Cases, work and the table of variants.
//
// Axes: m, n, k. Buffers: a, b and c, m x n; scale_a and scale_b where the format has them. An operation is a format and an
// order, and a case's type is c's (gemm_types.h). Elements of 8 bits are kept as bytes.
#include "gemm_types.h"

#include "private.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    const gemm_types_format *f = gemm_types_format_of(c);
    uint64_t m = gemm_types_axis(c, M), n = gemm_types_axis(c, N), k = gemm_types_axis(c, K);
    list[A] = (kz_buffer){"a", KZ_INPUT, f->in, m * k};
    list[B] = (kz_buffer){"b", KZ_INPUT, f->in, k * n};
    list[C] = (kz_buffer){"c", KZ_OUTPUT, f->out, m * n};
    list[SCALE_A] = (kz_buffer){"scale_a", KZ_INPUT, KZ_F32, gemm_types_scale_count(c, SCALE_A)};
    list[SCALE_B] = (kz_buffer){"scale_b", KZ_INPUT, KZ_F32, gemm_types_scale_count(c, SCALE_B)};
    return BUFFERS;
}

// Scales, where there are any, before the axes.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = 0, last = gemm_types_format_of(c)->scales == SCALES_NONE ? C : SCALE_B;
    for (uint32_t i = A; i <= last; i++) args[count++] = kz_arg_buffer(i);
    for (int i = M; i <= K; i++) args[count++] = kz_arg_u64(gemm_types_axis(c, i));
    return count;
}

static kz_products products_of(gemm_element element) {
    switch (element) {
    case GEMM_TF32: return KZ_PRODUCTS_TF32;
    case GEMM_INT8: return KZ_PRODUCTS_I8;
    case GEMM_F64: return KZ_PRODUCTS_F64;
    default: return KZ_PRODUCTS_F8;
    }
}

static kz_work work(const kz_case *c) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    double bytes = 0;
    size_t count = buffers(c, list);
    for (size_t i = 0; i < count; i++) bytes += (double)list[i].count * (double)kz_type_size(list[i].type);
    return (kz_work){.bytes = bytes,
                     .flops = 2.0 * (double)c->axes[M] * (double)c->axes[N] * (double)c->axes[K],
                     .products = products_of(gemm_types_format_of(c)->element)};
}

static kz_entry entry(const kz_case *c) { return (kz_entry){gemm_types_format_of(c)->name, c->type}; }

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, gemm_types_plan_native, "plain C on all cores", gemm_types_natives},
    {"01_cuda_cores", 75, gemm_types_plan_cores, "FFMA and IMAD, for any shape, alignment and order"},
    {"02_cluster", KZ_SM_EXACT(90), gemm_types_plan_cluster, "hgemm's frame: 128 x 256, clusters, tensor maps"},
    {"03_ping_pong", KZ_SM_EXACT(90), gemm_types_plan_ping_pong, "one warpgroup multiplies while the other stores"},
    {"04_any_shape", KZ_SM_EXACT(90), gemm_types_plan_any_shape, "operands repacked where they must, the tile that fits"},
    {"05_mma", 90, gemm_types_plan_mma, "doubles by mma.sync, copied by cp.async"},
    {"06_two_sets", KZ_SM_EXACT(90), gemm_types_plan_two_sets, "promoted sums: products run while others are added"},
};

// ---- cases -----------------------------------------------------------------------------------------

#define CASE(f, o, t, m, n, k, u, ...)                                                                       \
    {.operation = ORDERS * KZ_GEMM_##f + KZ_GEMM_TYPES_##o, .type = KZ_##t, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(f, o, t, m, n, k, ...) CASE(f, o, t, m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, o, t, m, n, k) CASE(f, o, t, m, n, k, KZ_USE_BENCH)
// One element; less than a tile; odd and prime; tiles and a bit, more chunks than stages; misaligned; the other orders; long sums.
#define EDGES(f, t)                                                                                          \
    CHECK(f, NT, t, 1, 1, 1), CHECK(f, NT, t, 40, 24, 16), CHECK(f, NT, t, 67, 61, 131),                     \
    CHECK(f, NT, t, 136, 272, 848), CHECK(f, NT, t, 33, 36, 20, .misalign = 1),                              \
    CHECK(f, NN, t, 67, 61, 131), CHECK(f, TN, t, 48, 80, 64), CHECK(f, TT, t, 67, 61, 131),                 \
    CHECK(f, NT, t, 72, 40, 2064), CHECK(f, NT, t, 40, 24, 16, .data = KZ_DATA_ZEROS),                       \
    CHECK(f, NT, t, 40, 24, 600, .data = KZ_DATA_EQUAL)
#define SQUARES(f, t) BENCH(f, NT, t, 4096, 4096, 4096), BENCH(f, NT, t, 8192, 8192, 8192)
// The shapes that DeepGEMM publishes figures for.
#define ROWS(m, X) X(m, 2112, 7168), X(m, 24576, 1536), X(m, 32768, 512), X(m, 7168, 16384), X(m, 4096, 7168), X(m, 7168, 2048)
#define FINE(m, n, k) BENCH(E4M3_FINE, NT, BF16, m, n, k)
// clang-format on

static const kz_case cases[] = {
    CHECK(TF32, NT, F32, 0, 5, 5),
    CHECK(INT8, NT, I32, 5, 0, 5),
    CHECK(E4M3_FINE, NT, BF16, 5, 7, 0), // a sum of nothing: zeros
    EDGES(TF32, F32),
    EDGES(TF32X3, F32),
    EDGES(INT8, I32),
    EDGES(E4M3, BF16),
    EDGES(E5M2, BF16),
    EDGES(E4M3_PROMOTED, BF16),
    EDGES(E4M3_FINE, BF16),
    EDGES(F64, F64),
    CHECK(F64, TN, F64, 136, 272, 72),
    CHECK(F64, NN, F64, 33, 36, 20, .misalign = 1),
    KZ_NOT_FINITE(CHECK, F64, NT, F64, 40, 24, 16),
    KZ_TINY(CHECK, F64, NT, F64, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, TF32, NT, F32, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, TF32X3, NT, F32, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, TF32X3, TN, F32, 67, 61, 131),
    KZ_NOT_FINITE(CHECK, E5M2, NT, BF16, 40, 24, 16),
    CHECK(E4M3, NT, BF16, 40, 24, 16, .data = KZ_DATA_NAN),
    CHECK(E4M3_PROMOTED, NT, BF16, 40, 24, 16, .data = KZ_DATA_NAN),
    CHECK(E4M3_FINE, NT, BF16, 40, 24, 16, .data = KZ_DATA_NAN),
    KZ_TINY(CHECK, TF32X3, NT, F32, 40, 24, 16),
    KZ_TINY(CHECK, TF32, NT, F32, 40, 24, 16),
    CHECK(INT8, NT, I32, 40, 24, 600, .data = KZ_DATA_LARGE),
    KZ_MAGNITUDES(CHECK, E4M3, NT, BF16, 40, 24, 16),
    KZ_MAGNITUDES(CHECK, E5M2, NT, BF16, 40, 24, 16),
    CHECK(E4M3_PROMOTED, NT, BF16, 40, 24, 8208, .data = KZ_DATA_POSITIVE), // what is cut off adds up
    CHECK(E4M3_FINE, NT, BF16, 264, 392, 1040),                             // clusters, and blocks of scales
    CHECK(E4M3_FINE, NT, BF16, 136, 272, 256),                              // two chunks
    CHECK(E4M3_PROMOTED, NT, BF16, 8, 16904, 144),                          // 133 tiles, two rounds
    CHECK(INT8, NT, I32, 1473, 1537, 40),                                   // rounds of the large tile
    SQUARES(TF32, F32),
    SQUARES(TF32X3, F32),
    SQUARES(INT8, I32),
    SQUARES(E4M3, BF16),
    SQUARES(E5M2, BF16),
    SQUARES(E4M3_PROMOTED, BF16),
    SQUARES(E4M3_FINE, BF16),
    SQUARES(F64, F64),
    ROWS(64, FINE),
    ROWS(128, FINE),
    ROWS(4096, FINE),
    BENCH(TF32, NN, F32, 8192, 8192, 8192), // with what it costs to transpose
    BENCH(INT8, NN, I32, 8192, 8192, 8192),
    BENCH(F64, NN, F64, 8192, 8192, 8192), // not transposed
    BENCH(E4M3, NN, BF16, 8192, 8192, 8192),
    BENCH(E4M3, TN, BF16, 8192, 8192, 8192),
    BENCH(E4M3, NT, BF16, 8191, 8191, 8191), // nothing is aligned
    CASE(INT8, NT, I32, 46352, 46352, 16, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return gemm_types_axis(c, M) * gemm_types_axis(c, N); }

// By hand: 10 x 20 x 300. Floats; bytes and 32-bit sums; bytes, three blocks of scales along k.
static const kz_worked worked[] = {
    {{.operation = ORDERS * KZ_GEMM_TF32, .type = KZ_F32, .axes = {10, 20, 300}},
     {4 * (3000 + 6000 + 200), 120000}},
    {{.operation = ORDERS * KZ_GEMM_INT8, .type = KZ_I32, .axes = {10, 20, 300}},
     {3000 + 6000 + 4 * 200, 120000}},
    {{.operation = ORDERS * KZ_GEMM_E4M3_FINE, .type = KZ_BF16, .axes = {10, 20, 300}},
     {3000 + 6000 + 2 * 200 + 4 * (30 + 3), 120000}},
};

#define OF_FORMAT(name) name "_nn", name "_nt", name "_tn", name "_tt"

const kz_family kz_family_gemm_types = {
    .name = "gemm_types",
    .group = "gemm",
    .summary = "c = a * b by tensor cores in tf32, three times tf32, int8, fp8 with scales, and f64",
    .operations = (const char *const[]){OF_FORMAT("tf32"), OF_FORMAT("tf32x3"), OF_FORMAT("int8"),
                                        OF_FORMAT("e4m3"), OF_FORMAT("e5m2"), OF_FORMAT("e4m3_promoted"),
                                        OF_FORMAT("e4m3_fine"), OF_FORMAT("f64"), NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F64) | KZ_TYPE_BIT(I32) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_gemm_types,
    .entry = entry,
    .buffers = buffers,
    .fill = gemm_types_fill,
    .reference = gemm_types_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "cublaslt", NULL},
    .guest_signature =
        "const float *a, const float *b, float *c, size_t m, size_t n, size_t k\n"
        "f64_*: const double *a, const double *b, double *c, size_t m, size_t n, size_t k\n"
        "int8_*: const unsigned char *a, const unsigned char *b, int *c, size_t m, size_t n, size_t k\n"
        "e4m3*,e5m2*: const unsigned char *a, const unsigned char *b, __nv_bfloat16 *c, "
        "const float *scale_a, const float *scale_b, size_t m, size_t n, size_t k",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_gemm_types_open(kz_device *device, kz_gemm_format format, kz_gemm_types_order order, size_t m,
                             size_t n, size_t k, const char *variant, kz_operation **operation,
                             kz_error *error) {
    if (format < KZ_GEMM_TF32 || format > KZ_GEMM_F64 || order < KZ_GEMM_TYPES_NN || order > KZ_GEMM_TYPES_TT)
        return kz_fail(
            error, KZ_INVALID,
            "kz_gemm_types_open: there is no format %d with order %d\nkz/ops/gemm_types.h lists them.",
            (int)format, (int)order);
    kz_case c = {.operation = ORDERS * format + order,
                 .type = gemm_types_formats[format].out,
                 .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_gemm_types, &c, variant, operation, error);
}

kz_status kz_gemm_types_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                            kz_ptr scale_a, kz_ptr scale_b, kz_ptr workspace, uint64_t workspace_bytes,
                            kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){a, b, c, scale_a, scale_b}, BUFFERS, workspace,
                            workspace_bytes, error);
}
