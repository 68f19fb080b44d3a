// rmsnorm: each row over the root of its mean square, times a weight, and the gradients. Cases and the table of variants; the
// rest it shares with layernorm (ml_ops/norm.h).
//
// Axes: rows, columns. epsilon is 10^-6 unless the case carries another.
#include "rmsnorm.h"

#include "private.h"

const norm_family rmsnorm_norm = {
    .centered = false, .epsilon = 1e-6f, .gamma = "weight", .dgamma = "dweight"};

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    return norm_buffers(&rmsnorm_norm, c, list);
}
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    return norm_fill(&rmsnorm_norm, c, which, seed, first, count, host);
}
static kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    return norm_reference(&rmsnorm_norm, c, host, which, expected, bound, error);
}
static kz_work work(const kz_case *c) { return norm_work(&rmsnorm_norm, c); }
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    return norm_guest_args(&rmsnorm_norm, c, args);
}
static kz_status plan_native(const kz_planner *p) { return norm_plan_native(&rmsnorm_norm, p); }
static kz_status plan_thread(const kz_planner *p) { return norm_plan_thread(&rmsnorm_norm, p); }
static kz_status plan_block(const kz_planner *p) { return norm_plan_block(&rmsnorm_norm, p); }
static kz_status plan_stream(const kz_planner *p) { return norm_plan_stream(&rmsnorm_norm, p); }
static kz_status plan_lanes(const kz_planner *p) { return norm_plan_lanes(&rmsnorm_norm, p); }
static kz_status plan_registers(const kz_planner *p) { return norm_plan_registers(&rmsnorm_norm, p); }

enum {
    FORWARD = KZ_RMSNORM_FORWARD,
    RESIDUAL = KZ_RMSNORM_RESIDUAL,
    FP8 = KZ_RMSNORM_FP8,
    BACKWARD = KZ_RMSNORM_BACKWARD
};

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", rmsnorm_natives},
    {"01_thread", 75, plan_thread, "a thread per row, and one per column"},
    {"02_block", 75, plan_block, "a block per row: coalesced, read twice; columns by atomics"},
    {"03_packs", 75, plan_stream, "16 bytes per load, read twice; columns in two stages"},
    {"04_lanes", 89, plan_lanes, "lanes of a warp per row, in registers; backward fused"},
    {"05_registers", 89, plan_registers, "a block per row, in registers; backward fused"},
};

#define CASE(o, t, r, c, u, ...) {.operation = o, .type = KZ_##t, .axes = {r, c}, .use = u, __VA_ARGS__}
#define CHECK(o, t, r, c, ...) CASE(o, t, r, c, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, r, c) CASE(o, t, r, c, KZ_USE_BENCH)
#define ALL_OF(t, r, c, ...)                                                                                 \
    CHECK(FORWARD, t, r, c, __VA_ARGS__), CHECK(RESIDUAL, t, r, c, __VA_ARGS__),                             \
    CHECK(FP8, t, r, c, __VA_ARGS__), CHECK(BACKWARD, t, r, c, __VA_ARGS__)
#define MAIN_OF(t, r, c, ...) CHECK(FORWARD, t, r, c, __VA_ARGS__), CHECK(BACKWARD, t, r, c, __VA_ARGS__)
// Rows shorter than a warp, of several rounds of a block, that begin anywhere, and more than run at once.
#define EDGES(t)                                                                                             \
    CHECK(FORWARD, t, 37, 16), ALL_OF(t, 5, 33, .misalign = 1), CHECK(FORWARD, t, 3, 1025),                  \
    ALL_OF(t, 3, 1000), CHECK(BACKWARD, t, 70, 72), ALL_OF(t, 200, 24), KZ_NOT_FINITE(MAIN_OF, t, 9, 40),   \
    CHECK(FORWARD, t, 3, 40, .data = KZ_DATA_ZEROS), MAIN_OF(t, 3, 700, .data = KZ_DATA_EQUAL)
#define BENCHES(t)                                                                                           \
    BENCH(FORWARD, t, 4096, 1024), BENCH(FORWARD, t, 16384, 4096), BENCH(FORWARD, t, 8192, 8192),            \
    BENCH(FORWARD, t, 1 << 20, 128), BENCH(FORWARD, t, 32768, 4096), BENCH(FORWARD, t, 64, 4096),            \
    BENCH(RESIDUAL, t, 32768, 4096), BENCH(BACKWARD, t, 16384, 4096), BENCH(BACKWARD, t, 1 << 20, 128)
// clang-format on

static const kz_case cases[] = {
    ALL_OF(F32, 0, 16),
    ALL_OF(F32, 3, 0),
    ALL_OF(F32, 1, 1),
    MAIN_OF(F32, 300, 7),
    CHECK(FORWARD, F32, 2, 256),
    CHECK(FORWARD, F16, 3, 2000, .data = KZ_DATA_POSITIVE),
    MAIN_OF(F32, 3, 100, .data = KZ_DATA_DENORMAL), // whose squares vanish beside epsilon
    ALL_OF(F16, 3, 100, .data = KZ_DATA_LARGE),     // float holds their squares
    CHECK(FP8, BF16, 9, 40, .data = KZ_DATA_NAN),
    CHECK(FORWARD, F32, 2, 5003),    // more than a warp's registers, and rows that begin anywhere
    CHECK(RESIDUAL, BF16, 2, 17000), // more than a block's
    CHECK(BACKWARD, F16, 2, 8300),
    CHECK(FORWARD, BF16, 150, 1032), // more rows than multiprocessors
    CHECK(BACKWARD, F32, 150, 300),
    CHECK(BACKWARD, F32, 2500, 8), // rows in turn for each block
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(BF16),
    BENCHES(F16),
    BENCH(FP8, BF16, 32768, 4096),
    BENCH(FORWARD, BF16, 16, 4096), // a decoder's step
    BENCH(FORWARD, BF16, 4096, 16384),
    CASE(FORWARD, F16, 65537, 32771, KZ_USE_HUGE),
    CASE(BACKWARD, BF16, 65537, 32771, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 elements of 4 bytes, 20 weights.
static const kz_worked worked[] = {
    {{.operation = FORWARD, .type = KZ_F32, .axes = {10, 20}}, {4 * 420, 800}},
    {{.operation = RESIDUAL, .type = KZ_F32, .axes = {10, 20}}, {4 * 820, 1000}},
    {{.operation = FP8, .type = KZ_F32, .axes = {10, 20}}, {4 * 220 + 200 + 4, 1000}},
    {{.operation = BACKWARD, .type = KZ_F32, .axes = {10, 20}}, {4 * 640, 2400}},
};

// Atomics add in any order.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return c->operation == BACKWARD && variant->plan == plan_block;
}

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[NORM_COLUMNS]; }

const kz_family kz_family_rmsnorm = {
    .name = "rmsnorm",
    .group = "ml_ops",
    .summary = "each row over the root of its mean square, times a weight per column; the gradients",
    .operations = (const char *const[]){"rmsnorm", "residual", "fp8", "backward", NULL},
    .axes = (const char *const[]){"rows", "columns", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_rmsnorm,
    .buffers = buffers,
    .fill = fill,
    .reference = reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "triton", "liger", NULL},
    .guest_signature = "const T *x, const T *weight, T *y, size_t rows, size_t columns, float epsilon\n"
                       "residual-*: const T *x, const T *residual, const T *weight, T *sum, T *y, size_t "
                       "rows, size_t columns, "
                       "float epsilon\n"
                       "fp8-*: const T *x, const T *weight, const float *scale, unsigned char *y, size_t "
                       "rows, size_t columns, "
                       "float epsilon\n"
                       "backward-*: const T *dy, const T *x, const T *weight, T *dx, T *dweight, size_t "
                       "rows, size_t columns, "
                       "float epsilon",
    .guest_args = guest_args,
    .size = size,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

static kz_status open_operation(kz_device *device, kz_rmsnorm function, kz_type type, size_t rows,
                                size_t columns, float epsilon, const char *variant, kz_operation **operation,
                                kz_error *error) {
    if (operation) *operation = NULL;
    kz_status status = norm_check_epsilon("kz_rmsnorm_open", epsilon, error);
    if (status) return status;
    kz_case c = {.operation = function,
                 .type = type,
                 .axes = {(int64_t)rows, (int64_t)columns, norm_put_epsilon(epsilon)}};
    return kz_operation_open_family(device, &kz_family_rmsnorm, &c, variant, operation, error);
}

kz_status kz_rmsnorm_open(kz_device *device, kz_type type, size_t rows, size_t columns, float epsilon,
                          const char *variant, kz_operation **operation, kz_error *error) {
    return open_operation(device, KZ_RMSNORM_FORWARD, type, rows, columns, epsilon, variant, operation,
                          error);
}

kz_status kz_rmsnorm_open_function(kz_device *device, kz_rmsnorm function, kz_type type, size_t rows,
                                   size_t columns, float epsilon, const char *variant,
                                   kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if ((unsigned)function >= KZ_RMSNORM_COUNT)
        return kz_fail(error, KZ_INVALID,
                       "kz_rmsnorm_open_function: function %d is none of enum kz_rmsnorm\n"
                       "it takes KZ_RMSNORM_FORWARD, _RESIDUAL, _FP8 or _BACKWARD",
                       (int)function);
    return open_operation(device, function, type, rows, columns, epsilon, variant, operation, error);
}

kz_status kz_rmsnorm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight, kz_ptr y,
                         kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, weight, y}, 3, 0, 0, error);
}

kz_status kz_rmsnorm_run_residual(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr residual,
                                  kz_ptr weight, kz_ptr sum, kz_ptr y, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, residual, weight, sum, y}, 5, 0, 0, error);
}

kz_status kz_rmsnorm_run_fp8(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight,
                             kz_ptr scale, kz_ptr y, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, weight, scale, y}, 4, 0, 0, error);
}

kz_status kz_rmsnorm_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr dy, kz_ptr x,
                                  kz_ptr weight, kz_ptr dx, kz_ptr dweight, kz_ptr workspace,
                                  uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){dy, x, weight, dx, dweight}, 5, workspace,
                            workspace_bytes, error);
}
