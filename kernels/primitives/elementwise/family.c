// elementwise: y = f(x) for five functions and three types. Cases, work, plans, the table of variants.
//
// Axes: n. Buffers: x, y of n elements. The factor of scale is 1.4142135 unless the case carries another
// (private.h).
#include "elementwise.h"

#include <string.h>

#include "private.h"
#include "tune.h"

static const float default_factor = 1.4142135f;
static const char *const operations[] = {"scale", "relu", "gelu_erf", "gelu_tanh", "silu", NULL};

float elementwise_get_factor(const kz_case *c) {
    if (c->axes[1] == 0) return default_factor;
    uint32_t bits = (uint32_t)c->axes[1];
    float factor;
    memcpy(&factor, &bits, sizeof factor);
    return factor;
}

int64_t elementwise_put_factor(float factor) {
    uint32_t bits;
    memcpy(&bits, &factor, sizeof bits);
    return (int64_t)((1ULL << 32) | bits);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, (uint64_t)c->axes[0]};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, (uint64_t)c->axes[0]};
    return 2;
}

// Flops as the formulas are written, a function of the library counted as one.
static kz_work work(const kz_case *c) {
    static const double flops[] = {1.0, 1.0, 5.0, 9.0, 3.0};
    double n = (double)c->axes[0];
    return (kz_work){.bytes = 2.0 * n * (double)kz_type_size(c->type), .flops = n * flops[c->operation]};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_buffer(X);
    args[1] = kz_arg_buffer(Y);
    args[2] = kz_arg_u64((uint64_t)c->axes[0]);
    args[3] = kz_arg_f32(elementwise_get_factor(c));
    return 4;
}

// ---- plans -----------------------------------------------------------------------------------------

// The row's tile is in packs of 16 bytes.
static kz_status plan_packs(const kz_planner *p) {
    uint64_t tile = p->variant->tile * (16 / kz_type_size(p->c->type));
    return kz_plan_add_launch(p, &(kz_plan_launch){.blocks = kz_ceil_div((uint64_t)p->c->axes[0], tile),
                                                   .threads = p->variant->threads});
}

enum { UNROLLED_TILE = ELEMENTWISE_UNROLLED_THREADS * ELEMENTWISE_UNROLLED_PACKS };

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, kz_plan_tiles, "plain C on all cores", elementwise_natives,
     .threads = 1, .tile = 4096, .blocks = 1},
    {"01_naive", 75, kz_plan_tiles, "one element per thread",
     .threads = ELEMENTWISE_THREADS, .tile = ELEMENTWISE_THREADS},
    {"02_vector", 75, plan_packs, "16 bytes per thread and instruction",
     .threads = ELEMENTWISE_THREADS, .tile = ELEMENTWISE_THREADS},
    {"03_unrolled", 75, plan_packs, "several 16-byte loads in flight, streamed",
     .threads = ELEMENTWISE_UNROLLED_THREADS, .tile = UNROLLED_TILE},
    {"04_fast_math", 80, plan_packs, "exp2, reciprocal and erf in few instructions",
     .threads = ELEMENTWISE_UNROLLED_THREADS, .tile = UNROLLED_TILE},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, u, ...) {.operation = KZ_ELEMENTWISE_##f, .type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, ...) CASE(f, t, n, KZ_USE_CHECK, __VA_ARGS__)
// Each function in each type: an odd size that leaves a tail in every variant, and what the data may hold.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 1), CHECK(f, t, 10007), CHECK(f, t, 4099, .misalign = 1),                                    \
    KZ_NOT_FINITE(CHECK, f, t, 1000), KZ_MAGNITUDES(CHECK, f, t, 1000)
#define BENCHES(f, t) CASE(f, t, 1 << 24, KZ_USE_BENCH), CASE(f, t, 1 << 28, KZ_USE_BENCH)
#define TYPES(list, f) list(f, F32), list(f, F16), list(f, BF16)
// clang-format on

static const kz_case cases[] = {
    CHECK(SCALE, F32, 0),
    KZ_AROUND_WARP(CHECK, SCALE, F32),
    KZ_AROUND_1024(CHECK, SCALE, F32),
    CHECK(SCALE, F16, 0),
    CHECK(SCALE, F16, 7),
    CHECK(SCALE, BF16, 9),
    CHECK(RELU, F32, 65536),
    CHECK(RELU, F16, 65536),
    CHECK(RELU, F32, 1000, .data = KZ_DATA_ZEROS),
    CHECK(GELU_ERF, F32, 1000, .data = KZ_DATA_ZEROS),
    CHECK(GELU_TANH, F32, 1000, .data = KZ_DATA_ONES),
    CHECK(SILU, F32, 1000, .data = KZ_DATA_EQUAL),
    CHECK(SCALE, BF16, 4097, .misalign = 5),
    TYPES(EDGES, SCALE),
    TYPES(EDGES, RELU),
    TYPES(EDGES, GELU_ERF),
    TYPES(EDGES, GELU_TANH),
    TYPES(EDGES, SILU),
    TYPES(BENCHES, SCALE),
    TYPES(BENCHES, RELU),
    TYPES(BENCHES, GELU_ERF),
    TYPES(BENCHES, GELU_TANH),
    TYPES(BENCHES, SILU),
    CASE(RELU, BF16, KZ_PAST_2_31, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"04_lean", "04_fast_math"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F16, .axes = {1000}}, {4000, 1000}},
};

const kz_family kz_family_elementwise = {
    .name = "elementwise",
    .group = "primitives",
    .summary = "y = f(x): scale, relu, gelu (erf and tanh), silu",
    .operations = operations,
    .axes = (const char *const[]){"n", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_elementwise,
    .buffers = buffers,
    .reference = elementwise_reference,
    .elementwise = true,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "const T *x, T *y, size_t n, float factor",
    .guest_args = guest_args,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_elementwise_open(kz_device *device, kz_elementwise function, kz_type type, size_t n,
                              float factor, const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = function, .type = type, .axes = {(int64_t)n, elementwise_put_factor(factor)}};
    return kz_operation_open_family(device, &kz_family_elementwise, &c, variant, operation, error);
}

kz_status kz_elementwise_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                             kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y}, 2, 0, 0, error);
}
