// vector_add: z = x + y. Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: x, y, z of n elements.
#include "vector_add.h"

#include "private.h"
#include "tune.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[0];
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, n};
    list[Y] = (kz_buffer){"y", KZ_INPUT, c->type, n};
    list[Z] = (kz_buffer){"z", KZ_OUTPUT, c->type, n};
    return 3;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[0];
    return (kz_work){.bytes = 3.0 * n * (double)kz_type_size(c->type), .flops = n};
}

enum { UNROLLED_TILE = VECTOR_ADD_UNROLLED_THREADS * VECTOR_ADD_UNROLLED_PACKS * 4 };

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, kz_plan_tiles, "plain C on all cores", vector_add_natives,
     .threads = 1, .tile = 4096, .blocks = 1},
    {"01_naive", 75, kz_plan_tiles, "one element per thread",
     .threads = VECTOR_ADD_THREADS, .tile = VECTOR_ADD_THREADS},
    {"02_grid_stride", 75, kz_plan_tiles, "a grid that fills the GPU walks over the data",
     .threads = VECTOR_ADD_THREADS, .tile = VECTOR_ADD_THREADS, .blocks = VECTOR_ADD_STRIDE_BLOCKS},
    {"03_vector", 75, kz_plan_tiles, "16 bytes per thread and instruction",
     .threads = VECTOR_ADD_THREADS, .tile = VECTOR_ADD_THREADS * 4},
    {"04_unrolled", 75, kz_plan_tiles, "several 16-byte loads in flight, streamed",
     .threads = VECTOR_ADD_UNROLLED_THREADS, .tile = UNROLLED_TILE},
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
    KZ_MAGNITUDES(CHECK, F32, 1000), // the large ones overflow to infinity here and there
    KZ_POWERS_20_TO_28(BENCH, F32),
    CASE(F32, KZ_PAST_2_31, KZ_USE_HUGE),
};

static const kz_worked worked[] = {{{.type = KZ_F32, .axes = {1000}}, {12000, 1000}}};

const kz_family kz_family_vector_add = {
    .name = "vector_add",
    .group = "primitives",
    .summary = "z = x + y: the least that a kernel can do",
    .operations = (const char *const[]){"add", NULL},
    .axes = (const char *const[]){"n", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_vector_add,
    .buffers = buffers,
    .reference = vector_add_reference,
    .elementwise = true,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "cudnn", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "const float *x, const float *y, float *z, size_t n",
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_vector_add_open(kz_device *device, kz_type type, size_t n, const char *variant,
                             kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)n}};
    return kz_operation_open_family(device, &kz_family_vector_add, &c, variant, operation, error);
}

kz_status kz_vector_add_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_ptr z,
                            kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y, z}, 3, 0, 0, error);
}
