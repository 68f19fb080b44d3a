// warp: patterns inside one warp, over many rows of 32. Cases, inputs, work, plans and the table of variants.
//
// Axis: n, elements; the last row may have fewer than 32. Buffers: in, out, and a second one for vote (the first
// that passed) and product (the right matrix).
#include "warp.h"

#include "private.h"
#include "tune.h"

static const char *const operations[] = {"sum",   "max",      "inclusive", "exclusive", "vote",
                                         "match", "distinct", "product",   NULL};

static uint64_t count_of(const kz_case *c) { return (uint64_t)c->axes[0]; }
static uint64_t rows_of(const kz_case *c) { return kz_ceil_div(count_of(c), ROW); }

static bool by_row(const kz_case *c) {
    return c->operation == KZ_WARP_SUM || c->operation == KZ_WARP_MAX || c->operation == KZ_WARP_VOTE ||
           c->operation == KZ_WARP_DISTINCT;
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    bool words =
        c->operation == KZ_WARP_VOTE || c->operation == KZ_WARP_MATCH || c->operation == KZ_WARP_DISTINCT;
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, count_of(c)};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, words ? KZ_U32 : c->type, by_row(c) ? rows_of(c) : count_of(c)};
    if (c->operation == KZ_WARP_VOTE)
        list[SECOND] = (kz_buffer){"first", KZ_OUTPUT, KZ_U32, rows_of(c)};
    else if (c->operation == KZ_WARP_PRODUCT)
        list[SECOND] = (kz_buffer){"right", KZ_INPUT, c->type, count_of(c)};
    else
        return 2;
    return 3;
}

// Rows to be matched: 16 values where uniform, most of them a few where biased; large: all 2^32.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (c->operation != KZ_WARP_MATCH && c->operation != KZ_WARP_DISTINCT) return false;
    if (which != IN || (c->data != KZ_DATA_UNIFORM && c->data != KZ_DATA_BIASED && c->data != KZ_DATA_LARGE))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = kz_draw(seed, IN, first + i);
        int32_t value = (int32_t)(uint32_t)(bits >> 32);
        if (c->data == KZ_DATA_UNIFORM) value = (int32_t)(bits >> 60);
        if (c->data == KZ_DATA_BIASED) value = (int32_t)((bits >> 60) * ((bits >> 56) & 15) >> 5);
        ((int32_t *)host)[i] = value;
    }
    return true;
}

static kz_work work(const kz_case *c) {
    double n = (double)count_of(c), rows = (double)rows_of(c);
    double written = c->operation == KZ_WARP_VOTE ? 2 * rows : by_row(c) ? rows : n;
    double flops = c->operation == KZ_WARP_PRODUCT ? 2.0 * ROW * n : n;
    return (kz_work){.bytes = 4.0 * (n * (c->operation == KZ_WARP_PRODUCT ? 2.0 : 1.0) + written),
                     .flops = flops};
}

// (in, out, second, n) for all: a guest of any operation takes the same; our kernels have no second where there is
// none, and vote and product have it behind the output.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    args[0] = kz_arg_buffer(IN);
    args[1] = kz_arg_buffer(OUT);
    args[2] = buffers(c, list) > SECOND ? kz_arg_buffer(SECOND) : kz_arg_u64(0);
    args[3] = kz_arg_u64(count_of(c));
    return 4;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    bool whole = c->operation == KZ_WARP_MATCH || c->operation == KZ_WARP_DISTINCT;
    bool real = c->operation == KZ_WARP_VOTE || c->operation == KZ_WARP_PRODUCT;
    if ((c->type != KZ_F32 && c->type != KZ_I32) || (c->type == KZ_F32 && whole) ||
        (c->type == KZ_I32 && real))
        return kz_plan_refuse(p->error, "warp has no %s of %s", operations[c->operation],
                              kz_type_name(c->type));
    if (c->operation == KZ_WARP_PRODUCT && c->axes[0] % MATRIX != 0)
        return kz_plan_refuse(p->error, "%lld elements are no whole matrices of 32 x 32",
                              (long long)c->axes[0]);
    return KZ_OK;
}

static kz_status launch(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = guest_args(p->c, args);
    if (!p->variant->natives && args[2].kind == KZ_ARG_SCALAR) args[2] = args[3], count = 3;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads, .args = args, .arg_count = count);
}

static uint64_t units_of(const kz_case *c) {
    return c->operation == KZ_WARP_PRODUCT ? count_of(c) / MATRIX : rows_of(c);
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    return status ? status : launch(p, kz_min_u64(units_of(p->c), (uint64_t)p->device->multiprocessors), 1);
}

// `items` pieces of work, one for each `lanes` threads.
static kz_status add_each(const kz_planner *p, uint64_t items, uint64_t lanes) {
    kz_status status = supported(p);
    uint32_t threads = p->c->operation == KZ_WARP_PRODUCT ? WARP_PRODUCT_THREADS : WARP_THREADS;
    return status ? status : launch(p, kz_ceil_div(items * lanes, threads), threads);
}

static kz_status plan_thread(const kz_planner *p) {
    return add_each(p, p->c->operation == KZ_WARP_PRODUCT ? count_of(p->c) : rows_of(p->c), 1);
}
static kz_status plan_warp(const kz_planner *p) { return add_each(p, units_of(p->c), ROW); }

static kz_status plan_butterfly(const kz_planner *p) {
    const kz_case *c = p->c;
    if (c->operation != KZ_WARP_SUM && c->operation != KZ_WARP_MAX)
        return kz_plan_refuse(p->error, "a butterfly hands over sums and maxima alone");
    return add_each(p, kz_ceil_div(rows_of(c), ROW), ROW);
}

static kz_status plan_warp_intrinsics(const kz_planner *p) {
    const kz_case *c = p->c;
    bool none = c->operation == KZ_WARP_INCLUSIVE || c->operation == KZ_WARP_EXCLUSIVE ||
                c->operation == KZ_WARP_PRODUCT || (c->operation == KZ_WARP_SUM && c->type == KZ_F32);
    if (none)
        return kz_plan_refuse(p->error,
                              "no single instruction does this in a warp: see 03_shuffle, 06_vector");
    return add_each(p, rows_of(c), ROW);
}

static kz_status plan_vector(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    if (c->operation == KZ_WARP_PRODUCT) return add_each(p, units_of(c), ROW);
    uint64_t full = (uint64_t)p->device->multiprocessors * WARP_VECTOR_BLOCKS * WARP_VECTOR_WAVES;
    uint64_t blocks = kz_ceil_div(kz_ceil_div(count_of(c), 16), WARP_VECTOR_THREADS); // four packs per lane
    return launch(p, kz_min_u64(blocks, full), WARP_VECTOR_THREADS);
}

static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", warp_natives},
    {"01_thread", 75, plan_thread, "a thread per row"},
    {"02_shared", 75, plan_warp, "a warp per row, through shared memory"},
    {"03_shuffle", 75, plan_warp, "shuffles between registers"},
    {"04_butterfly", 75, plan_butterfly, "32 rows per warp, xor shuffles"},
    {"05_warp_intrinsics", 80, plan_warp_intrinsics, "redux, ballot, match: one for the warp"},
    {"06_vector", 80, plan_vector, "many rows per warp, 16 bytes per lane"},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, u, ...)                                                                                \
    {.operation = KZ_WARP_##f, .type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, ...) CASE(f, t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, ...) CASE(f, t, n, KZ_USE_BENCH, __VA_ARGS__)
// A lane, a row but one lane, a row, one more, whole tiles and some rows, packs that begin anywhere.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 0), CHECK(f, t, 1), CHECK(f, t, 31), CHECK(f, t, 32), CHECK(f, t, 33), CHECK(f, t, 1024),    \
    CHECK(f, t, 2085), CHECK(f, t, 1025, .misalign = 1)
#define FLOATS(f)                                                                                            \
    EDGES(f, F32), KZ_NOT_FINITE(CHECK, f, F32, 1100),                                                       \
    CHECK(f, F32, 1024, .data = KZ_DATA_DENORMAL)
#define EQUALS(f)                                                                                            \
    EDGES(f, I32), CHECK(f, I32, 1100, .data = KZ_DATA_BIASED), CHECK(f, I32, 1100, .data = KZ_DATA_EQUAL),  \
    CHECK(f, I32, 1100, .data = KZ_DATA_LARGE), CHECK(f, I32, 1001, .data = KZ_DATA_ZEROS)
#define FULL (1 << 26)
#define HALF (1 << 25)
#define QUARTER (1 << 24)
// clang-format on

static const kz_case cases[] = {
    FLOATS(SUM),
    FLOATS(MAX),
    FLOATS(INCLUSIVE),
    FLOATS(EXCLUSIVE),
    FLOATS(VOTE),
    EDGES(SUM, I32),
    EDGES(MAX, I32),
    EDGES(INCLUSIVE, I32),
    EDGES(EXCLUSIVE, I32),
    CHECK(SUM, I32, 1100, .data = KZ_DATA_LARGE), // wraps
    CHECK(INCLUSIVE, I32, 1100, .data = KZ_DATA_LARGE),
    CHECK(MAX, F32, 1100, .data = KZ_DATA_LARGE),
    CHECK(VOTE, F32, 1100, .data = KZ_DATA_ONES),
    CHECK(VOTE, F32, 1100, .data = KZ_DATA_ZEROS),
    EQUALS(MATCH),
    EQUALS(DISTINCT),
    CHECK(PRODUCT, F32, 0),
    CHECK(PRODUCT, F32, 1024),
    CHECK(PRODUCT, F32, 5120, .data = KZ_DATA_POSITIVE),
    CHECK(PRODUCT, F32, 1024, .data = KZ_DATA_DENORMAL),
    CHECK(PRODUCT, F32, 1024, .data = KZ_DATA_ONES),
    BENCH(SUM, F32, FULL),
    BENCH(SUM, I32, QUARTER),
    BENCH(MAX, F32, QUARTER),
    BENCH(INCLUSIVE, F32, FULL),
    BENCH(EXCLUSIVE, I32, QUARTER),
    BENCH(VOTE, F32, FULL),
    BENCH(MATCH, I32, QUARTER),
    BENCH(MATCH, I32, QUARTER, .data = KZ_DATA_LARGE),
    BENCH(MATCH, I32, QUARTER, .data = KZ_DATA_EQUAL),
    BENCH(DISTINCT, I32, QUARTER),
    BENCH(PRODUCT, F32, HALF),
    CASE(SUM, I32, KZ_PAST_2_31, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"05_instruction", "05_warp_intrinsics"},
    {0},
};

static const kz_worked worked[] = {
    {{.operation = KZ_WARP_SUM, .type = KZ_F32, .axes = {1024}}, {4096 + 128, 1024}},
    {{.operation = KZ_WARP_PRODUCT, .type = KZ_F32, .axes = {1024}}, {3 * 4096, 65536}},
};

const kz_family kz_family_warp = {
    .name = "warp",
    .group = "primitives",
    .summary = "warp-level patterns: fold, scan, vote, match, product",
    .operations = operations,
    .axes = (const char *const[]){"n", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_warp,
    .buffers = buffers,
    .fill = fill,
    .reference = warp_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", NULL},
    .guest_signature = "const T *in, T *out, const void *null, size_t n\n"
                       "vote-*: const T *in, unsigned *out, unsigned *first, size_t n\n"
                       "match-*,distinct-*: const T *in, unsigned *out, const void *null, size_t n\n"
                       "product-*: const T *in, T *out, const T *right, size_t n",
    .guest_args = guest_args,
    .size = count_of,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_warp_open(kz_device *device, kz_warp_operation function, kz_type type, size_t n,
                       const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = function, .type = type, .axes = {(int64_t)n}};
    return kz_operation_open_family(device, &kz_family_warp, &c, variant, operation, error);
}

kz_status kz_warp_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr second,
                      kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out, second}, second ? 3 : 2, 0, 0, error);
}
