// layernorm: each row less its mean, over its standard deviation, and the gradients. Cases and the table of variants; the rest
// it shares with rmsnorm (ml_ops/norm.h).
//
// Axes: rows, columns. epsilon is 10^-5 unless the case carries another.
#include "layernorm.h"

#include "private.h"

const norm_family layernorm_norm = {.centered = true, .epsilon = 1e-5f, .gamma = "gamma", .dgamma = "dgamma"};

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    return norm_buffers(&layernorm_norm, c, list);
}
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    return norm_fill(&layernorm_norm, c, which, seed, first, count, host);
}
static kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    return norm_reference(&layernorm_norm, c, host, which, expected, bound, error);
}
static kz_work work(const kz_case *c) { return norm_work(&layernorm_norm, c); }
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    return norm_guest_args(&layernorm_norm, c, args);
}
static kz_status plan_native(const kz_planner *p) { return norm_plan_native(&layernorm_norm, p); }
static kz_status plan_thread(const kz_planner *p) { return norm_plan_thread(&layernorm_norm, p); }
static kz_status plan_block(const kz_planner *p) { return norm_plan_block(&layernorm_norm, p); }
static kz_status plan_stream(const kz_planner *p) { return norm_plan_stream(&layernorm_norm, p); }
static kz_status plan_lanes(const kz_planner *p) { return norm_plan_lanes(&layernorm_norm, p); }
static kz_status plan_registers(const kz_planner *p) { return norm_plan_registers(&layernorm_norm, p); }

enum {
    FORWARD = KZ_LAYERNORM_FORWARD,
    RESIDUAL = KZ_LAYERNORM_RESIDUAL,
    FP8 = KZ_LAYERNORM_FP8,
    BACKWARD = KZ_LAYERNORM_BACKWARD
};

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", layernorm_natives},
    {"01_thread", 75, plan_thread, "a thread per row, and one per column"},
    {"02_block", 75, plan_block, "a block per row: coalesced; columns by atomics"},
    {"03_welford", 75, plan_stream, "mean and variance in one pass, 16 bytes per load; columns in two stages"},
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
// Rows that begin anywhere, of some warps, of more rows than run at once; NaN and Inf.
#define EDGES(t)                                                                                             \
    ALL_OF(t, 7, 33, .misalign = 1), ALL_OF(t, 3, 1000), CHECK(BACKWARD, t, 70, 72),                         \
    ALL_OF(t, 200, 24), KZ_NOT_FINITE(MAIN_OF, t, 9, 40), CHECK(FORWARD, t, 4, 300, .data = KZ_DATA_BIASED)
#define BENCHES(t)                                                                                           \
    BENCH(FORWARD, t, 32768, 4096), BENCH(FORWARD, t, 64, 4096), BENCH(FORWARD, t, 1 << 20, 128),            \
    BENCH(FORWARD, t, 4096, 16384), BENCH(RESIDUAL, t, 32768, 4096), BENCH(BACKWARD, t, 32768, 4096),        \
    BENCH(BACKWARD, t, 1 << 20, 128)
// clang-format on

static const kz_case cases[] = {
    ALL_OF(F32, 0, 16),
    ALL_OF(F32, 3, 0),
    ALL_OF(F32, 1, 1),
    MAIN_OF(F32, 300, 7),
    MAIN_OF(F32, 4, 700, .data = KZ_DATA_EQUAL), // no variance but epsilon
    ALL_OF(F16, 3, 300, .data = KZ_DATA_EQUAL),
    ALL_OF(BF16, 3, 300, .data = KZ_DATA_ZEROS),
    MAIN_OF(F32, 3, 100, .data = KZ_DATA_DENORMAL),
    ALL_OF(F16, 3, 100, .data = KZ_DATA_LARGE), // float holds the squares
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
    BENCH(FP8, BF16, 32768, 4096),
    BENCH(FORWARD, F16, 32768, 4096),
    BENCH(BACKWARD, BF16, 8192, 8192),
    CASE(FORWARD, F16, 65537, 32771, KZ_USE_HUGE),
    CASE(BACKWARD, BF16, 65537, 32771, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 elements of 4 bytes, 20 gammas and betas; a mean and an rstd for each row.
static const kz_worked worked[] = {
    {{.operation = FORWARD, .type = KZ_F32, .axes = {10, 20}}, {4 * 440 + 80, 1400}},
    {{.operation = RESIDUAL, .type = KZ_F32, .axes = {10, 20}}, {4 * 840 + 80, 1600}},
    {{.operation = FP8, .type = KZ_F32, .axes = {10, 20}}, {4 * 240 + 200 + 80 + 4, 1600}},
    {{.operation = BACKWARD, .type = KZ_F32, .axes = {10, 20}}, {4 * 660 + 80, 2600}},
};

// Atomics add in any order.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return c->operation == BACKWARD && variant->plan == plan_block;
}

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[NORM_COLUMNS]; }

const kz_family kz_family_layernorm = {
    .name = "layernorm",
    .group = "ml_ops",
    .summary = "each row less its mean over its deviation, times gamma plus beta; the gradients",
    .operations = (const char *const[]){"forward", "residual", "fp8", "backward", NULL},
    .axes = (const char *const[]){"rows", "columns", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_layernorm,
    .buffers = buffers,
    .fill = fill,
    .reference = reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "liger", NULL},
    .guest_signature =
        "const T *x, const T *gamma, const T *beta, T *y, float *mean, float *rstd, size_t rows, size_t "
        "columns, "
        "float epsilon\n"
        "residual-*: const T *x, const T *residual, const T *gamma, const T *beta, T *sum, T *y, float "
        "*mean, "
        "float *rstd, size_t rows, size_t columns, float epsilon\n"
        "fp8-*: const T *x, const T *gamma, const T *beta, const float *scale, unsigned char *y, float "
        "*mean, "
        "float *rstd, size_t rows, size_t columns, float epsilon\n"
        "backward-*: const T *dy, const T *x, const T *gamma, const float *mean, const float *rstd, T *dx, "
        "T *dgamma, T *dbeta, size_t rows, size_t columns, float epsilon",
    .guest_args = guest_args,
    .size = size,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_layernorm_open(kz_device *device, kz_layernorm function, kz_type type, size_t rows,
                            size_t columns, float epsilon, const char *variant, kz_operation **operation,
                            kz_error *error) {
    if (operation) *operation = NULL;
    if ((unsigned)function >= KZ_LAYERNORM_COUNT)
        return kz_fail(error, KZ_INVALID,
                       "kz_layernorm_open: function %d is none of enum kz_layernorm\n"
                       "it takes KZ_LAYERNORM_FORWARD, _RESIDUAL, _FP8 or _BACKWARD",
                       (int)function);
    kz_status status = norm_check_epsilon("kz_layernorm_open", epsilon, error);
    if (status) return status;
    kz_case c = {.operation = function,
                 .type = type,
                 .axes = {(int64_t)rows, (int64_t)columns, norm_put_epsilon(epsilon)}};
    return kz_operation_open_family(device, &kz_family_layernorm, &c, variant, operation, error);
}

kz_status kz_layernorm_run_forward(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr gamma,
                                   kz_ptr beta, kz_ptr y, kz_ptr mean, kz_ptr rstd, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, gamma, beta, y, mean, rstd}, 6, 0, 0, error);
}

kz_status kz_layernorm_run_residual(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr residual,
                                    kz_ptr gamma, kz_ptr beta, kz_ptr sum, kz_ptr y, kz_ptr mean, kz_ptr rstd,
                                    kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, residual, gamma, beta, sum, y, mean, rstd}, 8, 0,
                            0, error);
}

kz_status kz_layernorm_run_fp8(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr gamma,
                               kz_ptr beta, kz_ptr scale, kz_ptr y, kz_ptr mean, kz_ptr rstd,
                               kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, gamma, beta, scale, y, mean, rstd}, 7, 0, 0,
                            error);
}

kz_status kz_layernorm_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr dy, kz_ptr x,
                                    kz_ptr gamma, kz_ptr mean, kz_ptr rstd, kz_ptr dx, kz_ptr dgamma,
                                    kz_ptr dbeta, kz_ptr workspace, uint64_t workspace_bytes,
                                    kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){dy, x, gamma, mean, rstd, dx, dgamma, dbeta}, 8,
                            workspace, workspace_bytes, error);
}
