// saxpy: y = a * x + y. Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: x, y of n elements; y is read and written. a is 1.4142135 unless the case carries
// another (private.h). Where choice.csv does not know the GPU, the last variant that the device can run
// is taken: each rung moves the same bytes with more of them in flight.
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

// ---- plans: one launch each; nothing to do where there is nothing -----------------------------------

static kz_status launch(const kz_case *c, kz_plan *plan, const char *idea, uint64_t blocks, uint32_t threads,
                        kz_error *error) {
    if (c->type != KZ_F32) return kz_plan_refuse(error, "saxpy has no %s", kz_type_name(c->type));
    if (c->axes[0] == 0) return KZ_OK;
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, "saxpy", idea, "saxpy", c->type);
    kz_arg args[KZ_PLAN_ARGS];
    kz_plan_add_launch(plan, entry, blocks, threads, args, guest_args(c, args));
    return KZ_OK;
}

static uint64_t tiles(const kz_case *c, uint64_t tile) { return kz_ceil_div((uint64_t)c->axes[0], tile); }

static kz_status plan_native(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return launch(c, plan, "native", kz_min_u64(tiles(c, 4096), (uint64_t)device->multiprocessors), 1, error);
}

static kz_status plan_naive(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return launch(c, plan, "naive", tiles(c, SAXPY_THREADS), SAXPY_THREADS, error);
}

static kz_status plan_grid_stride(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    uint64_t full = (uint64_t)device->multiprocessors * SAXPY_STRIDE_BLOCKS;
    return launch(c, plan, "grid_stride", kz_min_u64(tiles(c, SAXPY_THREADS), full), SAXPY_THREADS, error);
}

static kz_status plan_vector(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return launch(c, plan, "vector", tiles(c, SAXPY_THREADS * 4), SAXPY_THREADS, error);
}

static kz_status plan_unrolled(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                               kz_error *error) {
    uint64_t tile = (uint64_t)SAXPY_UNROLLED_THREADS * SAXPY_UNROLLED_PACKS * 4;
    return launch(c, plan, "unrolled", tiles(c, tile), SAXPY_UNROLLED_THREADS, error);
}

static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", saxpy_natives},
    {"01_naive", 75, plan_naive, "one element per thread", NULL},
    {"02_grid_stride", 75, plan_grid_stride, "a grid that fills the GPU walks over the data", NULL},
    {"03_vector", 75, plan_vector, "16 bytes per thread and instruction", NULL},
    {"04_unrolled", 75, plan_unrolled, "several 16-byte loads in flight, streamed", NULL},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CHECK(n, ...) {.type = KZ_F32, .axes = {n}, .use = KZ_USE_CHECK, __VA_ARGS__}
#define BENCH(n)      {.type = KZ_F32, .axes = {n}, .use = KZ_USE_BENCH}
// clang-format on

static const kz_case cases[] = {
    CHECK(0),
    CHECK(1),
    CHECK(2),
    CHECK(3),
    CHECK(31),
    CHECK(32),
    CHECK(33),
    CHECK(1023),
    CHECK(1024),
    CHECK(1025),
    CHECK(7919), // a prime
    CHECK(65536),
    CHECK(300007), // 02 goes round more than once on 132 multiprocessors
    CHECK(4096, .misalign = 1),
    CHECK(4099, .misalign = 3),
    CHECK(1000, .data = KZ_DATA_ZEROS),
    CHECK(1000, .data = KZ_DATA_ONES),
    CHECK(1000, .data = KZ_DATA_NAN),
    CHECK(1000, .data = KZ_DATA_INF),
    CHECK(1000, .data = KZ_DATA_DENORMAL),
    CHECK(1000, .data = KZ_DATA_SMALL),
    CHECK(1000, .data = KZ_DATA_EQUAL),
    BENCH(1 << 20),
    BENCH(1 << 24),
    BENCH(1 << 26),
    BENCH(1 << 28),
    {.type = KZ_F32, .axes = {(1LL << 31) + 4099}, .use = KZ_USE_HUGE},
};

const kz_family kz_family_saxpy = {
    .name = "saxpy",
    .group = "primitives",
    .summary = "y = a * x + y: two streams in, one out, over one of its inputs",
    .operations = (const char *const[]){"saxpy", NULL},
    .axes = (const char *const[]){"n", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_saxpy,
    .buffers = buffers,
    .reference = saxpy_reference,
    .elementwise = true,
    .work = work,
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
