// rmsnorm: each row over the root of its mean square, times a weight. Cases, work, plans, the table of variants.
//
// Axes: rows, columns. Buffers: x, y of rows * columns elements, weight of columns. epsilon is 10^-6 unless the case
// carries another (private.h).
#include "rmsnorm.h"

#include <string.h>

#include "private.h"

enum { THREADS = 256 };

static const float default_epsilon = 1e-6f;

float rmsnorm_get_epsilon(const kz_case *c) {
    if (c->axes[EPSILON] == 0) return default_epsilon;
    uint32_t bits = (uint32_t)c->axes[EPSILON];
    float epsilon;
    memcpy(&epsilon, &bits, sizeof epsilon);
    return epsilon;
}

int64_t rmsnorm_put_epsilon(float epsilon) {
    uint32_t bits;
    memcpy(&bits, &epsilon, sizeof bits);
    return (int64_t)((1ULL << 32) | bits);
}

static uint64_t elements(const kz_case *c) { return (uint64_t)c->axes[ROWS] * (uint64_t)c->axes[COLUMNS]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, elements(c)};
    list[WEIGHT] = (kz_buffer){"weight", KZ_INPUT, c->type, (uint64_t)c->axes[COLUMNS]};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, elements(c)};
    return 3;
}

// Per element: a square, its addition and two products. What is done once per row is not counted.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[ROWS] * (double)c->axes[COLUMNS];
    return (kz_work){.bytes = (2.0 * n + (double)c->axes[COLUMNS]) * (double)kz_type_size(c->type),
                     .flops = 4.0 * n};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = X; i <= Y; i++) args[i] = kz_arg_buffer(i);
    args[3] = kz_arg_u64((uint64_t)c->axes[ROWS]);
    args[4] = kz_arg_u64((uint64_t)c->axes[COLUMNS]);
    args[5] = kz_arg_f32(rmsnorm_get_epsilon(c));
    return 6;
}

// A row of no columns is none.
static kz_status plan_rows(const kz_planner *p) { return elements(p->c) ? kz_plan_tiles(p) : KZ_OK; }

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_rows, "plain C on all cores", rmsnorm_natives, .threads = 1, .tile = 1, .blocks = 1},
    {"01_thread", 75, plan_rows, "a thread per row", .threads = THREADS, .tile = THREADS},
    {"02_block", 75, plan_rows, "a block per row: coalesced, read twice", .threads = THREADS, .tile = 1},
};

#define CASE(t, r, c, u, ...) {.type = KZ_##t, .axes = {r, c}, .use = u, __VA_ARGS__}
#define CHECK(t, r, c, ...) CASE(t, r, c, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, r, c) CASE(t, r, c, KZ_USE_BENCH)
// Rows shorter than a warp, of several rounds of a block, and that begin anywhere.
#define EDGES(t)                                                                                             \
    CHECK(t, 37, 16), CHECK(t, 5, 33, .misalign = 1), CHECK(t, 3, 1025), KZ_NOT_FINITE(CHECK, t, 9, 40),     \
    CHECK(t, 3, 40, .data = KZ_DATA_ZEROS), CHECK(t, 3, 700, .data = KZ_DATA_EQUAL)
#define BENCHES(t) BENCH(t, 4096, 1024), BENCH(t, 16384, 4096), BENCH(t, 8192, 8192), BENCH(t, 1 << 20, 128)
// clang-format on

static const kz_case cases[] = {
    CHECK(F32, 0, 16),
    CHECK(F32, 3, 0),
    CHECK(F32, 1, 1),
    CHECK(F32, 300, 7),
    CHECK(F32, 2, 256),
    CHECK(F32, 3, 100, .data = KZ_DATA_DENORMAL), // whose squares vanish beside epsilon
    CHECK(F16, 3, 100, .data = KZ_DATA_LARGE),    // float holds their squares
    CHECK(F16, 3, 2000, .data = KZ_DATA_POSITIVE),
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(F16),
    BENCHES(BF16),
    BENCH(BF16, 16, 4096), // a decoder's step
    CASE(F16, 65537, 32771, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 in and out, 20 weights.
static const kz_worked worked[] = {{{.type = KZ_F32, .axes = {10, 20}}, {4 * 420, 800}}};

const kz_family kz_family_rmsnorm = {
    .name = "rmsnorm",
    .group = "ml_ops",
    .summary = "each row over the root of its mean square, times a weight per column",
    .operations = (const char *const[]){"rmsnorm", NULL},
    .axes = (const char *const[]){"rows", "columns", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_rmsnorm,
    .buffers = buffers,
    .reference = rmsnorm_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "triton", "liger", NULL},
    .guest_signature = "const T *x, const T *weight, T *y, size_t rows, size_t columns, float epsilon",
    .guest_args = guest_args,
    .size = elements,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_rmsnorm_open(kz_device *device, kz_type type, size_t rows, size_t columns, float epsilon,
                          const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)rows, (int64_t)columns, rmsnorm_put_epsilon(epsilon)}};
    return kz_operation_open_family(device, &kz_family_rmsnorm, &c, variant, operation, error);
}

kz_status kz_rmsnorm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight, kz_ptr y,
                         kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, weight, y}, 3, 0, 0, error);
}
