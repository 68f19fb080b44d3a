// sgemm: c = a * b in single precision. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a of m x k, b of k x n, c of m x n elements, row-major. Where choice.csv does not
// know the GPU, the last variant that the device can run is taken.
#include "sgemm.h"

#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[A] = (kz_buffer){"a", KZ_INPUT, c->type, axis(c, M) * axis(c, K)};
    list[B] = (kz_buffer){"b", KZ_INPUT, c->type, axis(c, K) * axis(c, N)};
    list[C] = (kz_buffer){"c", KZ_OUTPUT, c->type, axis(c, M) * axis(c, N)};
    return 3;
}

static kz_work work(const kz_case *c) {
    double m = (double)c->axes[M], n = (double)c->axes[N], k = (double)c->axes[K];
    return (kz_work){.bytes = (m * k + k * n + m * n) * (double)kz_type_size(c->type),
                     .flops = 2.0 * m * n * k};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = 0; i < 3; i++) {
        args[i] = kz_arg_buffer(i);
        args[3 + i] = kz_arg_u64(axis(c, (int)i));
    }
    return 6;
}

// ---- plans: a block per tile, or blocks that take one after another; nothing where c is empty ---------

static kz_status supported(const kz_case *c, kz_error *error) {
    return c->type == KZ_F32 ? KZ_OK : kz_plan_refuse(error, "sgemm has no %s", kz_type_name(c->type));
}

static kz_status launch(const kz_case *c, kz_plan *plan, const char *idea, uint64_t blocks, uint32_t threads,
                        uint32_t shared_bytes, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    if (blocks > INT32_MAX)
        return kz_plan_refuse(error, "%s takes %llu blocks here, more than a grid has", idea,
                              (unsigned long long)blocks);
    if (blocks == 0) return KZ_OK;
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, "sgemm", idea, "gemm", c->type);
    kz_arg args[KZ_PLAN_ARGS];
    size_t arg_count = guest_args(c, args);
    kz_plan_add_launch(plan, entry, blocks, threads, args, arg_count)->launch.dynamic_shared_bytes =
        shared_bytes;
    return KZ_OK;
}

static uint64_t tiles(const kz_case *c, uint64_t height, uint64_t width) {
    return kz_ceil_div(axis(c, M), height) * kz_ceil_div(axis(c, N), width);
}

static kz_status plan_naive(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return launch(c, plan, "naive", tiles(c, 16, 16), SGEMM_THREADS, 0, error);
}

static kz_status plan_coalesced(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                kz_error *error) {
    return launch(c, plan, "coalesced", tiles(c, 8, 32), SGEMM_THREADS, 0, error);
}

static kz_status plan_shared_tile(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    enum { SIDE = SGEMM_SHARED_SIDE };
    return launch(c, plan, "shared_tile", tiles(c, SIDE, SIDE), SIDE * SIDE, 0, error);
}

static kz_status plan_register_column(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                      kz_error *error) {
    enum { SIDE = SGEMM_COLUMN_SIDE };
    return launch(c, plan, "register_column", tiles(c, SIDE, SIDE), SIDE * SIDE / 8, 0, error);
}

static kz_status plan_register_tile(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                    kz_error *error) {
    enum { SIDE = SGEMM_SQUARE_SIDE };
    return launch(c, plan, "register_tile", tiles(c, SIDE, SIDE), SIDE * SIDE / 64, 0, error);
}

static kz_status plan_vector(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    enum { SIDE = SGEMM_SQUARE_SIDE };
    return launch(c, plan, "vector", tiles(c, SIDE, SIDE), SIDE * SIDE / 64, 0, error);
}

// As struct shape in tile.cuh has it: warps of 64 rows, chunks of `depth` whose rows of a are padded by a
// quad.
typedef struct shape {
    uint32_t height, width, threads, stage_bytes;
} shape;
static shape make_shape(uint32_t down, uint32_t across, uint32_t quads, uint32_t depth) {
    shape s = {.height = 64 * down, .width = 16 * quads * across, .threads = 32 * down * across};
    s.stage_bytes = 4 * (s.height * (depth + 4) + depth * s.width);
    return s;
}

static kz_status plan_warp_tile(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                kz_error *error) {
    shape s = make_shape(SGEMM_WARP_DOWN, SGEMM_WARP_ACROSS, 4, SGEMM_WARP_DEPTH);
    return launch(c, plan, "warp_tile", tiles(c, s.height, s.width), s.threads, 0, error);
}

static kz_status plan_async_copy(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 kz_error *error) {
    shape s = make_shape(SGEMM_ASYNC_DOWN, SGEMM_ASYNC_ACROSS, 4, SGEMM_ASYNC_DEPTH);
    return launch(c, plan, "async_copy", tiles(c, s.height, s.width), s.threads,
                  SGEMM_ASYNC_STAGES * s.stage_bytes, error);
}

static kz_status stay(const kz_case *c, kz_plan *plan, const char *idea, const shape *s, uint64_t most_blocks,
                      kz_error *error) {
    uint64_t blocks = kz_min_u64(tiles(c, s->height, s->width), most_blocks);
    return launch(c, plan, idea, blocks, s->threads + SGEMM_PRODUCER_THREADS,
                  SGEMM_BARRIER_BYTES + SGEMM_PRODUCER_STAGES * s->stage_bytes, error);
}

static kz_status plan_warp_specialized(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                       kz_error *error) {
    shape s = make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH);
    return stay(c, plan, "warp_specialized", &s, (uint64_t)device->multiprocessors, error);
}

// By the work of the multiprocessor that has most, counted in small tiles, which take longer for the same
// work.
static kz_status plan_tile_selection(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                     kz_error *error) {
    shape large = make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH);
    shape small = make_shape(2, 2, 2, SGEMM_PRODUCER_DEPTH);
    uint64_t all = (uint64_t)device->multiprocessors;
    uint64_t few = tiles(c, large.height, large.width), many = tiles(c, small.height, small.width);
    uint64_t times = (uint64_t)(large.height * large.width) / (small.height * small.width);
    if (SGEMM_SMALL_PERCENT * kz_ceil_div(many, all) < 100 * times * kz_ceil_div(few, all))
        return stay(c, plan, "tile_selection_small", &small, all * SGEMM_SMALL_BLOCKS, error);
    return stay(c, plan, "tile_selection_large", &large, all, error);
}

// ---- plans of the CPU's ladder -----------------------------------------------------------------------

static kz_status plan_on_cpu(const kz_case *c, kz_plan *plan, const char *idea, kz_error *error) {
    return launch(c, plan, idea, axis(c, M) && axis(c, N) ? 1 : 0, 1, 0, error);
}

static kz_status plan_cpu_naive(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                kz_error *error) {
    return plan_on_cpu(c, plan, "cpu_naive", error);
}

static kz_status plan_cpu_reordered(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                    kz_error *error) {
    return plan_on_cpu(c, plan, "cpu_reordered", error);
}

static kz_status plan_cpu_blocked(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return plan_on_cpu(c, plan, "cpu_blocked", error);
}

// Two launches: all panels are packed into the workspace, then c is done tile by tile. `threads` blocks share
// either; of tiles each is a block, so that whoever is free takes the next.
static kz_status plan_packed(const kz_case *c, kz_plan *plan, uint64_t threads, kz_error *error) {
    kz_status status = supported(c, error);
    uint64_t m = axis(c, M), n = axis(c, N), k = axis(c, K);
    if (status != KZ_OK || m == 0 || n == 0) return status;
    if (k == 0) {
        kz_plan_add_fill(plan, kz_arg_buffer(C), 0, m * n * sizeof(float));
        return KZ_OK;
    }
    uint64_t a_panels = kz_ceil_div(m, PANEL_ROWS), b_panels = kz_ceil_div(n, PANEL_COLUMNS);
    uint64_t b_offset = (a_panels * PANEL_ROWS * k * sizeof(float) + 63) / 64 * 64;
    plan->workspace_bytes = b_offset + b_panels * PANEL_COLUMNS * k * sizeof(float);
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = guest_args(c, args);
    args[count++] = kz_arg_workspace(0);
    args[count++] = kz_arg_workspace(b_offset);
    uint64_t pieces = kz_min_u64(a_panels + b_panels, 4 * threads);
    kz_plan_add_launch(plan, "sgemm_cpu_pack_gemm_f32", threads == 1 ? 1 : pieces, 1, args, count);
    uint64_t blocks = threads == 1 ? 1 : tiles(c, SGEMM_CPU_TILE_ROWS, SGEMM_CPU_TILE_COLUMNS);
    kz_plan_add_launch(plan, "sgemm_cpu_packed_gemm_f32", kz_min_u64(blocks, INT32_MAX), 1, args, count);
    return KZ_OK;
}

static kz_status plan_cpu_simd(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                               kz_error *error) {
    return plan_packed(c, plan, 1, error);
}

static kz_status plan_cpu_threads(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return plan_packed(c, plan, (uint64_t)device->multiprocessors + 1, error);
}

static const kz_variant variants[] = {
    {"01_naive", 75, plan_naive, "one element per thread, down the columns", NULL},
    {"02_coalesced", 75, plan_coalesced, "one element per thread, along the rows", NULL},
    {"03_shared_tile", 75, plan_shared_tile, "tiles of a and b in shared memory", NULL},
    {"04_register_column", 75, plan_register_column, "8 results per thread: b's numbers serve 8 times", NULL},
    {"05_register_tile", 75, plan_register_tile, "8 x 8 results per thread", NULL},
    {"06_vector", 75, plan_vector, "16-byte accesses, a's tile transposed", NULL},
    {"07_warp_tile", 75, plan_warp_tile, "64 x 64 per warp, 8 x 16 per thread", NULL},
    {"08_async_copy", 80, plan_async_copy, "cp.async: the next chunks load during the multiply", NULL},
    {"09_warp_specialized", KZ_SM_EXACT(90), plan_warp_specialized,
     "producer warps that only load, persistent blocks", NULL},
    {"10_tile_selection", KZ_SM_EXACT(90), plan_tile_selection,
     "tiles of 128 x 256 or 128 x 64, by the matrix's size", NULL},
    {"11_cpu_naive", 0, plan_cpu_naive, "three loops on one core", sgemm_cpu_naive_natives},
    {"12_cpu_reordered", 0, plan_cpu_reordered, "the same loops in another order",
     sgemm_cpu_reordered_natives},
    {"13_cpu_blocked", 0, plan_cpu_blocked, "blocks that stay in L1 and L2", sgemm_cpu_blocked_natives},
    {"14_cpu_simd", 0, plan_cpu_simd, "packed panels, vector registers as the tile", sgemm_cpu_simd_natives},
    {"15_cpu_threads", 0, plan_cpu_threads, "the same on all cores", sgemm_cpu_simd_natives},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(m, n, k, u, ...) {.type = KZ_F32, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(m, n, k, ...) CASE(m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(m, n, k) CASE(m, n, k, KZ_USE_BENCH)
// clang-format on

// The tiles are 16, 8 x 32, 32, 64, 128, 128 x 64 and 128 x 256, chunks of k 8, 16 and 32; on the CPU 12 x
// 32.
static const kz_case cases[] = {
    CHECK(0, 5, 5),
    CHECK(5, 0, 5),
    CHECK(5, 7, 0), // a sum of nothing: zeros
    CHECK(1, 1, 1),
    CHECK(1, 65, 33),
    CHECK(65, 1, 33),
    CHECK(31, 33, 32),
    CHECK(64, 64, 64),
    CHECK(127, 129, 17),
    CHECK(128, 128, 32),
    CHECK(129, 68, 36), // quads fit, tiles do not
    CHECK(132, 260, 8),
    CHECK(67, 61, 131),
    CHECK(128, 256, 160), // more chunks than stages
    CHECK(64, 96, 32, .misalign = 1),
    CHECK(37, 41, 23, .misalign = 3),
    CHECK(33, 36, 20, .data = KZ_DATA_NAN),
    CHECK(33, 36, 20, .data = KZ_DATA_INF),
    CHECK(33, 36, 20, .data = KZ_DATA_ZEROS),
    CHECK(33, 36, 20, .data = KZ_DATA_EQUAL),
    CHECK(5, 7, 600, .data = KZ_DATA_EQUAL),  // products that all round alike
    CHECK(33, 36, 20, .data = KZ_DATA_SMALL), // products below the smallest float
    BENCH(256, 256, 256),
    BENCH(512, 512, 512),
    BENCH(1024, 1024, 1024),
    BENCH(2048, 2048, 2048),
    BENCH(4096, 4096, 4096),
    BENCH(8192, 8192, 8192),
    BENCH(4095, 4095, 4095), // nothing is aligned
    BENCH(16384, 1024, 1024),
    BENCH(4096, 4096, 128),
    CASE(46349, 46351, 3, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, M) * axis(c, N); }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"08_async", "08_async_copy"},
    {"09_producer", "09_warp_specialized"},
    {"10_fitted", "10_tile_selection"},
    {0},
};

const kz_family kz_family_sgemm = {
    .name = "sgemm",
    .group = "gemm",
    .summary = "c = a * b in single precision: as many multiply-adds as there are issue slots",
    .operations = (const char *const[]){"gemm", NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_sgemm,
    .buffers = buffers,
    .reference = sgemm_reference,
    .work = work,
    .guest_signature = "const float *a, const float *b, float *c, size_t m, size_t n, size_t k",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_sgemm_open(kz_device *device, size_t m, size_t n, size_t k, const char *variant,
                        kz_operation **operation, kz_error *error) {
    kz_case c = {.type = KZ_F32, .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_sgemm, &c, variant, operation, error);
}

kz_status kz_sgemm_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                       kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){a, b, c}, 3, workspace, workspace_bytes, error);
}
