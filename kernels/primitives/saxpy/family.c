// saxpy: y = a * x + y. Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: x, y of n elements; y is read and written. a is 1.4142135 unless the case carries
// another (private.h).
#include "saxpy.h"

#include <string.h>

#include "private.h"
#include "tune.h"

static const float default_a = 1.4142135f; // full mantissa: a product that is not rounded shows

float saxpy_get_a(const kz_case *c) {
    if (c->axes[1] == 0) return default_a;
    uint32_t bits = (uint32_t)c->axes[1];
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

int64_t saxpy_put_a(float a) {
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (int64_t)((1ULL << 32) | bits);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, (uint64_t)c->axes[0]};
    list[Y] = (kz_buffer){"y", KZ_INOUT, c->type, (uint64_t)c->axes[0]};
    return 2;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[0];
    return (kz_work){.bytes = 3.0 * n * (double)kz_type_size(c->type), .flops = 2.0 * n};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_f32(saxpy_get_a(c));
    args[1] = kz_arg_buffer(X);
    args[2] = kz_arg_buffer(Y);
    args[3] = kz_arg_u64((uint64_t)c->axes[0]);
    return 4;
}

enum { UNROLLED_TILE = SAXPY_UNROLLED_THREADS * SAXPY_UNROLLED_PACKS * 4 };

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, kz_plan_tiles, "plain C on all cores", saxpy_natives,
     .threads = 1, .tile = 4096, .blocks = 1},
    {"01_naive", 75, kz_plan_tiles, "one element per thread",
     .threads = SAXPY_THREADS, .tile = SAXPY_THREADS},
    {"02_grid_stride", 75, kz_plan_tiles, "a grid that fills the GPU walks over the data",
     .threads = SAXPY_THREADS, .tile = SAXPY_THREADS, .blocks = SAXPY_STRIDE_BLOCKS},
    {"03_vector", 75, kz_plan_tiles, "16 bytes per thread and instruction",
     .threads = SAXPY_THREADS, .tile = SAXPY_THREADS * 4},
    {"04_unrolled", 75, kz_plan_tiles, "several 16-byte loads in flight, streamed",
     .threads = SAXPY_UNROLLED_THREADS, .tile = UNROLLED_TILE},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(t, n, u, ...) {.type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(t, n, ...)   CASE(t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, n)        CASE(t, n, KZ_USE_BENCH)
// clang-format on

static const kz_case cases[] = {
    KZ_EDGE_SIZES(CHECK, F32),
    CHECK(F32, KZ_PRIME),
    CHECK(F32, 65536),
    CHECK(F32, 300007), // 02 goes round more than once on 132 multiprocessors
    KZ_MISALIGNED(CHECK, F32),
    KZ_CONSTANT(CHECK, F32, 1000),
    KZ_NOT_FINITE(CHECK, F32, 1000),
    KZ_TINY(CHECK, F32, 1000),
    CHECK(F32, 1000, .data = KZ_DATA_EQUAL),
    KZ_POWERS_20_TO_28(BENCH, F32),
    CASE(F32, KZ_PAST_2_31, KZ_USE_HUGE),
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000}}, {12000, 2000}},
};

const kz_family kz_family_saxpy = {
    .name = "saxpy",
    .group = "primitives",
    .summary = "y = a * x + y: two streams in, one out, over one of its inputs",
    .operations = (const char *const[]){"saxpy", NULL},
    .axes = (const char *const[]){"n", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_saxpy,
    .buffers = buffers,
    .reference = saxpy_reference,
    .elementwise = true,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "cublas", "openblas", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "float a, const float *x, float *y, size_t n",
    .guest_args = guest_args,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_saxpy_open(kz_device *device, kz_type type, size_t n, float a, const char *variant,
                        kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)n, saxpy_put_a(a)}};
    return kz_operation_open_family(device, &kz_family_saxpy, &c, variant, operation, error);
}

kz_status kz_saxpy_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y}, 2, 0, 0, error);
}
