// transpose: out[c][r] = in[r][c]. Cases, work, plans and the table of variants.
//
// Axes: rows, columns of the input, row-major. Buffers: in, out of rows * columns elements.
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

// Bits are moved, whatever they mean: one kernel serves all types of a size.
static kz_entry entry(const kz_case *c) {
    return (kz_entry){"transpose", kz_type_of_size(kz_type_size(c->type))};
}

// ---- plans: one launch each, a block per tile --------------------------------------------------------

static kz_status plan_vector(const kz_planner *p) {
    size_t size = kz_type_size(p->c->type);
    if (size != 2 && size != 4)
        return kz_plan_refuse(p->error, "quads of 2 and 4 bytes alone; 08_wide_tile takes %s",
                              kz_type_name(p->c->type));
    return kz_plan_tiles(p);
}

#define PACKS(size) [size] = {TRANSPOSE_WIDE_CHUNKS_##size, TRANSPOSE_WIDE_THREADS_##size}
static kz_status plan_wide_tile(const kz_planner *p) {
    // By the size of an element: packs of 16 bytes on a side of the tile, and threads.
    static const struct { uint32_t chunks, threads; } tilings[9] = {PACKS(1), PACKS(2), PACKS(4), PACKS(8)};
    size_t size = kz_type_size(p->c->type);
    uint64_t side = tilings[size].chunks * 16 / size, rows = (uint64_t)p->c->axes[ROWS];
    uint64_t columns = (uint64_t)p->c->axes[COLUMNS];
    return kz_plan_add_launch(
        p, &(kz_plan_launch){.blocks = kz_ceil_div(rows, side) * kz_ceil_div(columns, side),
                             .threads = tilings[size].threads,
                             .shared_bytes = (uint32_t)(side * side * size)});
}

enum { T = TRANSPOSE_THREADS, SIDE = TRANSPOSE_VECTOR_TILE };

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, kz_plan_tiles, "plain C by tiles, on all cores", transpose_natives,
     .threads = 1, .tile = 32, .width = UINT32_MAX, .blocks = 1},
    {"01_naive", 75, kz_plan_tiles, "one element per thread, square blocks",
     .threads = T, .tile = 16, .width = 16},
    {"02_coalesced_read", 75, kz_plan_tiles, "a warp reads a piece of a row",
     .threads = T, .tile = 8, .width = 32},
    {"03_coalesced_write", 75, kz_plan_tiles, "a warp writes a piece of a row",
     .threads = T, .tile = 32, .width = 8},
    {"04_shared_tile", 75, kz_plan_tiles, "transposed in shared memory: both sides coalesced",
     .threads = T, .tile = 32, .width = 32},
    {"05_padded", 75, kz_plan_tiles, "a row of padding: no bank conflicts",
     .threads = T, .tile = 32, .width = 32},
    {"06_swizzled", 75, kz_plan_tiles, "a permuted tile: no conflicts, no padding",
     .threads = T, .tile = 32, .width = 32},
    {"07_vector", 75, plan_vector, "quads, transposed in registers",
     .threads = TRANSPOSE_VECTOR_THREADS, .tile = SIDE, .width = SIDE},
    {"08_wide_tile", 75, plan_wide_tile, "16 bytes per access for every type"},
};
// clang-format on

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
// A type is its size, and the check knows each.
#define KZ_TYPE(id, ...) CHECK(id, 35, 29),
#include "kz/types.def"
#undef KZ_TYPE
    CHECK(F32, 1100, 68), // groups of tile rows
    CHECK(BF16, 1100, 68),
    CHECK(U8, 272, 528),
    KZ_NOT_FINITE(CHECK, F32, 64, 96),
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

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {10, 20}}, {1600, 0}},
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
    .entry = entry,
    .buffers = buffers,
    .reference = transpose_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "openblas", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "const T *in, T *out, size_t rows, size_t columns",
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
