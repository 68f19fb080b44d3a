// transpose: out[c][r] = in[r][c]. Cases, work, plans and the table of variants.
//
// Axes: rows, columns of the input, row-major. Buffers: in, out of rows * columns elements. Where choice.csv
// does not know the GPU, the last variant that the device can run is taken.
#include "transpose.h"

#include "private.h"
#include "tune.h"

static uint64_t elements(const kz_case *c) { return (uint64_t)c->axes[ROWS] * (uint64_t)c->axes[COLUMNS]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, elements(c)};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, elements(c)};
    return 2;
}

static kz_work work(const kz_case *c) {
    double elements = (double)c->axes[ROWS] * (double)c->axes[COLUMNS];
    return (kz_work){.bytes = 2.0 * elements * (double)kz_type_size(c->type), .flops = 0.0};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_buffer(IN);
    args[1] = kz_arg_buffer(OUT);
    args[2] = kz_arg_u64((uint64_t)c->axes[ROWS]);
    args[3] = kz_arg_u64((uint64_t)c->axes[COLUMNS]);
    return 4;
}

// ---- plans: one launch each, a block per tile; nothing to do where there is nothing ------------------

static kz_status launch(const kz_case *c, kz_plan *plan, const char *idea, uint64_t blocks, uint32_t threads,
                        kz_error *error) {
    if (blocks > INT32_MAX)
        return kz_plan_refuse(error, "%s takes %llu blocks here, more than a grid has", idea,
                              (unsigned long long)blocks);
    if (elements(c) == 0) return KZ_OK;
    // Bits are moved, whatever they mean: one entry serves all types of a size.
    static const kz_type by_size[9] = {[1] = KZ_U8, [2] = KZ_U16, [4] = KZ_U32, [8] = KZ_I64};
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, "transpose", idea, "transpose", by_size[kz_type_size(c->type)]);
    kz_arg args[KZ_PLAN_ARGS];
    size_t arg_count = guest_args(c, args);
    kz_plan_add_launch(plan, entry, blocks, threads, args, arg_count);
    return KZ_OK;
}

static kz_status tiled(const kz_case *c, kz_plan *plan, const char *idea, uint64_t height, uint64_t width,
                       kz_error *error) {
    uint64_t blocks =
        kz_ceil_div((uint64_t)c->axes[ROWS], height) * kz_ceil_div((uint64_t)c->axes[COLUMNS], width);
    return launch(c, plan, idea, blocks, TRANSPOSE_THREADS, error);
}

static kz_status plan_native(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    uint64_t stripes = kz_ceil_div((uint64_t)c->axes[ROWS], 32);
    return launch(c, plan, "native", kz_min_u64(stripes, (uint64_t)device->multiprocessors), 1, error);
}

static kz_status plan_naive(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return tiled(c, plan, "naive", 16, 16, error);
}

static kz_status plan_coalesced_read(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                     kz_error *error) {
    return tiled(c, plan, "coalesced_read", 8, 32, error);
}

static kz_status plan_coalesced_write(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                      kz_error *error) {
    return tiled(c, plan, "coalesced_write", 32, 8, error);
}

static kz_status plan_shared_tile(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return tiled(c, plan, "shared_tile", 32, 32, error);
}

static kz_status plan_padded(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return tiled(c, plan, "padded", 32, 32, error);
}

static kz_status plan_swizzled(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                               kz_error *error) {
    return tiled(c, plan, "swizzled", 32, 32, error);
}

static uint64_t square_tiles(const kz_case *c, uint64_t side) {
    return kz_ceil_div((uint64_t)c->axes[ROWS], side) * kz_ceil_div((uint64_t)c->axes[COLUMNS], side);
}

static kz_status plan_vector(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    size_t size = kz_type_size(c->type);
    if (size != 2 && size != 4)
        return kz_plan_refuse(error, "quads of 2 and 4 bytes alone; 08_wide_tile takes %s",
                              kz_type_name(c->type));
    return launch(c, plan, "vector", square_tiles(c, TRANSPOSE_VECTOR_TILE), TRANSPOSE_VECTOR_THREADS, error);
}

#define PACKS(size) [size] = {TRANSPOSE_WIDE_CHUNKS_##size, TRANSPOSE_WIDE_THREADS_##size}
static kz_status plan_wide_tile(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                kz_error *error) {
    // By the size of an element: packs of 16 bytes on a side of the tile, and threads.
    static const struct { uint32_t chunks, threads; } tilings[9] = {PACKS(1), PACKS(2), PACKS(4), PACKS(8)};
    size_t size = kz_type_size(c->type);
    uint64_t side = tilings[size].chunks * 16 / size;
    kz_status status = launch(c, plan, "wide_tile", square_tiles(c, side), tilings[size].threads, error);
    if (!status && plan->step_count)
        plan->steps[0].launch.dynamic_shared_bytes = (uint32_t)(side * side * size);
    return status;
}

static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C by tiles, on all cores", transpose_natives},
    {"01_naive", 75, plan_naive, "one element per thread, square blocks", NULL},
    {"02_coalesced_read", 75, plan_coalesced_read, "a warp reads a piece of a row", NULL},
    {"03_coalesced_write", 75, plan_coalesced_write, "a warp writes a piece of a row", NULL},
    {"04_shared_tile", 75, plan_shared_tile, "transposed in shared memory: both sides coalesced", NULL},
    {"05_padded", 75, plan_padded, "a row of padding: no bank conflicts", NULL},
    {"06_swizzled", 75, plan_swizzled, "a permuted tile: no conflicts, no padding", NULL},
    {"07_vector", 75, plan_vector, "quads, transposed in registers", NULL},
    {"08_wide_tile", 75, plan_wide_tile, "16 bytes per access for every type", NULL},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(t, r, c, u, ...) {.type = KZ_##t, .axes = {r, c}, .use = u, __VA_ARGS__}
#define CHECK(t, r, c, ...) CASE(t, r, c, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, r, c) CASE(t, r, c, KZ_USE_BENCH)
// The tiles are 16, 8 x 32, 32 x 8, 32 and 64, and of 08 32 to 256 by the type: below, at and above each,
// square or not; the elements of a pack a divisor or not.
#define EDGES(t)                                                                                             \
    CHECK(t, 1, 1), CHECK(t, 1, 1025), CHECK(t, 1025, 1), CHECK(t, 31, 33), CHECK(t, 32, 32),                \
    CHECK(t, 64, 64), CHECK(t, 63, 65), CHECK(t, 127, 129), CHECK(t, 128, 256), CHECK(t, 68, 132),           \
    CHECK(t, 132, 67), CHECK(t, 67, 132), CHECK(t, 128, 64, .misalign = 1), CHECK(t, 37, 41, .misalign = 3)
#define SIZES(t) CHECK(t, 1, 77), CHECK(t, 33, 31), CHECK(t, 144, 80), CHECK(t, 48, 272, .misalign = 1)
// clang-format on

static const kz_case cases[] = {
    CHECK(F32, 0, 5),
    CHECK(F32, 5, 0),
    EDGES(F32),
    EDGES(BF16),
    EDGES(U8),
    SIZES(F16),
    SIZES(F64),
    SIZES(I64),
    SIZES(U16),
    CHECK(I32, 33, 31), // a type is its size, and the check knows each
    CHECK(U32, 33, 31),
    CHECK(F32, 1100, 68), // groups of tile rows
    CHECK(BF16, 1100, 68),
    CHECK(U8, 272, 528),
    CHECK(F32, 64, 96, .data = KZ_DATA_NAN),
    CHECK(F32, 64, 96, .data = KZ_DATA_INF),
    CHECK(F32, 64, 96, .data = KZ_DATA_DENORMAL),
    CHECK(F16, 64, 96, .data = KZ_DATA_DENORMAL),
    BENCH(F32, 1024, 1024),
    BENCH(F32, 4096, 4096),
    BENCH(F32, 16384, 16384),
    BENCH(F32, 10000, 6001), // neither a multiple of a tile; rows of the input are not aligned
    BENCH(F16, 4096, 4096),
    BENCH(F16, 16384, 16384),
    BENCH(BF16, 16384, 16384),
    BENCH(U8, 16384, 16384),
    BENCH(F64, 16384, 16384),
    CASE(F16, 65537, 32771, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"08_packs", "08_wide_tile"},
    {0},
};

const kz_family kz_family_transpose = {
    .name = "transpose",
    .group = "primitives",
    .summary = "out[c][r] = in[r][c]: a copy whose two sides want opposite orders",
    .operations = (const char *const[]){"transpose", NULL},
    .axes = (const char *const[]){"rows", "columns", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_transpose,
    .buffers = buffers,
    .reference = transpose_reference,
    .work = work,
    .guest_signature = "const T *in, T *out, size_t rows, size_t columns",
    .guest_args = guest_args,
    .size = elements,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_transpose_open(kz_device *device, kz_type type, size_t rows, size_t columns, const char *variant,
                            kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)rows, (int64_t)columns}};
    return kz_operation_open_family(device, &kz_family_transpose, &c, variant, operation, error);
}

kz_status kz_transpose_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                           kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out}, 2, 0, 0, error);
}
