// sgemm: c = a * b in single precision. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a of m x k, b of k x n, c of m x n elements, row-major.
#include "sgemm.h"

#include "plans.h"

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
                     .flops = 2.0 * m * n * k,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans: a block per tile, or blocks that take one after another; nothing where c is empty ---------

static uint64_t tiles(const kz_case *c, uint64_t height, uint64_t width) {
    return kz_ceil_div(axis(c, M), height) * kz_ceil_div(axis(c, N), width);
}

static kz_status plan_warp_tile(const kz_planner *p) {
    sgemm_shape s = sgemm_make_shape(SGEMM_WARP_DOWN, SGEMM_WARP_ACROSS, 4, SGEMM_WARP_DEPTH, 8);
    return kz_plan_add_launch(
        p, &(kz_plan_launch){.blocks = tiles(p->c, s.height, s.width), .threads = s.threads});
}

static kz_status plan_async_copy(const kz_planner *p) {
    sgemm_shape s = sgemm_make_shape(SGEMM_ASYNC_DOWN, SGEMM_ASYNC_ACROSS, 4, SGEMM_ASYNC_DEPTH, 8);
    return kz_plan_add_launch(p, &(kz_plan_launch){.blocks = tiles(p->c, s.height, s.width),
                                                   .threads = s.threads,
                                                   .shared_bytes = SGEMM_ASYNC_STAGES * s.stage_bytes});
}

static kz_status stay(const kz_planner *p, const char *part, const sgemm_shape *s, uint64_t most_blocks) {
    return kz_plan_add_launch(
        p, &(kz_plan_launch){.part = part,
                             .blocks = kz_min_u64(tiles(p->c, s->height, s->width), most_blocks),
                             .threads = s->threads + SGEMM_PRODUCER_THREADS,
                             .shared_bytes = SGEMM_BARRIER_BYTES + SGEMM_PRODUCER_STAGES * s->stage_bytes});
}

static kz_status plan_warp_specialized(const kz_planner *p) {
    sgemm_shape s = sgemm_make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH, 8);
    return stay(p, NULL, &s, (uint64_t)p->device->multiprocessors);
}

// By the work of the multiprocessor that has most, counted in small tiles, which take longer for the same
// work.
static kz_status plan_tile_selection(const kz_planner *p) {
    sgemm_shape large =
        sgemm_make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH, 8);
    sgemm_shape small = sgemm_make_shape(2, 2, 2, SGEMM_PRODUCER_DEPTH, 8);
    uint64_t all = (uint64_t)p->device->multiprocessors;
    uint64_t few = tiles(p->c, large.height, large.width), many = tiles(p->c, small.height, small.width);
    uint64_t times = (uint64_t)(large.height * large.width) / (small.height * small.width);
    if (SGEMM_SMALL_PERCENT * kz_ceil_div(many, all) < 100 * times * kz_ceil_div(few, all))
        return stay(p, "small", &small, all * SGEMM_SMALL_BLOCKS);
    return stay(p, "large", &large, all);
}

// ---- plans of the CPU's ladder -----------------------------------------------------------------------

// Two launches: all panels are packed into the workspace, then c is done tile by tile. `threads` blocks share
// either; of tiles each is a block, so that whoever is free takes the next.
static kz_status plan_packed(const kz_planner *p, uint64_t threads) {
    uint64_t m = axis(p->c, M), n = axis(p->c, N), k = axis(p->c, K);
    if (m == 0 || n == 0) return KZ_OK;
    if (k == 0) {
        kz_plan_add_fill(p->plan, kz_arg_buffer(C), 0, m * n * sizeof(float));
        return KZ_OK;
    }
    uint64_t a_panels = kz_ceil_div(m, PANEL_ROWS), b_panels = kz_ceil_div(n, PANEL_COLUMNS);
    uint64_t b_offset = (a_panels * PANEL_ROWS * k * sizeof(float) + 63) / 64 * 64;
    p->plan->workspace_bytes = b_offset + b_panels * PANEL_COLUMNS * k * sizeof(float);
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(p->family, p->c, args);
    args[count++] = kz_arg_workspace(0);
    args[count++] = kz_arg_workspace(b_offset);
    uint64_t pieces = kz_min_u64(a_panels + b_panels, 4 * threads);
    kz_plan_launch pack = {.idea = "cpu_pack",
                           .blocks = threads == 1 ? 1 : pieces,
                           .threads = 1,
                           .args = args,
                           .arg_count = count};
    kz_plan_launch multiply = pack;
    multiply.idea = "cpu_packed";
    multiply.blocks = threads == 1 ? 1 : tiles(p->c, SGEMM_CPU_TILE_ROWS, SGEMM_CPU_TILE_COLUMNS);
    multiply.blocks = kz_min_u64(multiply.blocks, INT32_MAX);
    kz_status status = kz_plan_add_launch(p, &pack);
    return status ? status : kz_plan_add_launch(p, &multiply);
}

static kz_status plan_cpu_simd(const kz_planner *p) { return plan_packed(p, 1); }

static kz_status plan_cpu_threads(const kz_planner *p) {
    return plan_packed(p, (uint64_t)p->device->multiprocessors + 1);
}

enum {
    ANY = UINT32_MAX, // a tile that takes all: one block, where c is not empty
    SHARED = SGEMM_SHARED_SIDE,
    COLUMN = SGEMM_COLUMN_SIDE,
    SQUARE = SGEMM_SQUARE_SIDE
};

// clang-format off
static const kz_variant variants[] = {
    {"01_naive", 75, kz_plan_tiles, "one element per thread, down the columns",
     .threads = SGEMM_THREADS, .tile = 16, .width = 16},
    {"02_coalesced", 75, kz_plan_tiles, "one element per thread, along the rows",
     .threads = SGEMM_THREADS, .tile = 8, .width = 32},
    {"03_shared_tile", 75, kz_plan_tiles, "tiles of a and b in shared memory",
     .threads = SHARED * SHARED, .tile = SHARED, .width = SHARED},
    {"04_register_column", 75, kz_plan_tiles, "8 results per thread: b's numbers serve 8 times",
     .threads = COLUMN * COLUMN / 8, .tile = COLUMN, .width = COLUMN},
    {"05_register_tile", 75, kz_plan_tiles, "8 x 8 results per thread",
     .threads = SQUARE * SQUARE / 64, .tile = SQUARE, .width = SQUARE},
    {"06_vector", 75, kz_plan_tiles, "16-byte accesses, a's tile transposed",
     .threads = SQUARE * SQUARE / 64, .tile = SQUARE, .width = SQUARE},
    {"07_warp_tile", 75, plan_warp_tile, "64 x 64 per warp, 8 x 16 per thread"},
    {"08_async_copy", 80, plan_async_copy, "cp.async: the next chunks load during the multiply"},
    {"09_warp_specialized", KZ_SM_EXACT(90), plan_warp_specialized,
     "producer warps that only load, persistent blocks"},
    {"10_tile_selection", KZ_SM_EXACT(90), plan_tile_selection,
     "tiles of 128 x 256 or 128 x 64, by the matrix's size"},
    {"11_split_k", 90, sgemm_plan_split_k, "k divided among the blocks of a cluster, or of several"},
    {"12_stream_k", KZ_SM_EXACT(90), sgemm_plan_stream_k, "an even share of the tiles' chunks for every block"},
    {"13_matrix_vector", 90, sgemm_plan_matrix_vector, "up to 8 rows or columns: the large matrix read once"},
    {"14_shape_selection", KZ_SM_EXACT(90), sgemm_plan_shape_selection,
     "the kernel, its tile and the parts of k by a model of the time"},
    {"15_cpu_naive", 0, kz_plan_tiles, "three loops on one core", sgemm_cpu_naive_natives,
     .threads = 1, .tile = ANY, .width = ANY},
    {"16_cpu_reordered", 0, kz_plan_tiles, "the same loops in another order", sgemm_cpu_reordered_natives,
     .threads = 1, .tile = ANY, .width = ANY},
    {"17_cpu_blocked", 0, kz_plan_tiles, "blocks that stay in L1 and L2", sgemm_cpu_blocked_natives,
     .threads = 1, .tile = ANY, .width = ANY},
    {"18_cpu_simd", 0, plan_cpu_simd, "packed panels, vector registers as the tile", sgemm_cpu_simd_natives},
    {"19_cpu_threads", 0, plan_cpu_threads, "the same on all cores", sgemm_cpu_simd_natives},
};
// clang-format on

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
    KZ_NOT_FINITE(CHECK, 33, 36, 20),
    CHECK(33, 36, 20, .data = KZ_DATA_ZEROS),
    CHECK(33, 36, 20, .data = KZ_DATA_EQUAL),
    CHECK(5, 7, 600, .data = KZ_DATA_EQUAL),  // products that all round alike
    CHECK(33, 36, 20, .data = KZ_DATA_SMALL), // products below the smallest float
    CHECK(2, 70, 40),                         // few rows and few columns: kernels for 1, 2, 4 and 8 of them
    CHECK(3, 130, 72),
    CHECK(70, 2, 40),
    CHECK(130, 3, 260),
    CHECK(70, 6, 300),
    CHECK(20, 36, 2100),  // one tile: more parts of k than a cluster has blocks
    CHECK(419, 1257, 65), // rows that are worth copying to where they are aligned
    BENCH(256, 256, 256),
    BENCH(512, 512, 512),
    BENCH(1024, 1024, 1024),
    BENCH(1536, 1536, 1536), // rounds of tiles that are far from full
    BENCH(2048, 2048, 2048),
    BENCH(3072, 3072, 3072),
    BENCH(4096, 4096, 4096),
    BENCH(8192, 8192, 8192),
    BENCH(4095, 4095, 4095), // nothing is aligned
    BENCH(16384, 1024, 1024),
    BENCH(4096, 4096, 128),
    BENCH(128, 4096, 4096),
    BENCH(1, 4096, 4096), // vectors
    BENCH(4096, 1, 4096),
    BENCH(64, 64, 65536),
    CASE(46349, 46351, 3, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, M) * axis(c, N); }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"08_async", "08_async_copy"},
    {"09_producer", "09_warp_specialized"},
    {"10_fitted", "10_tile_selection"},
    {"11_cpu_naive", "15_cpu_naive"},
    {"12_cpu_reordered", "16_cpu_reordered"},
    {"13_cpu_blocked", "17_cpu_blocked"},
    {"14_cpu_simd", "18_cpu_simd"},
    {"15_cpu_threads", "19_cpu_threads"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {10, 20, 30}}, {4 * (300 + 600 + 200), 12000}},
};

const kz_family kz_family_sgemm = {
    .name = "sgemm",
    .group = "gemm",
    .summary = "c = a * b, on the GPU and, a ladder of its own, on the CPU",
    .operations = (const char *const[]){"gemm", NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_sgemm,
    .buffers = buffers,
    .reference = sgemm_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "cublaslt", "cudnn", "cutlass", "openblas", "torch",
                                    "torch_compile", "triton", NULL},
    .guest_signature = "const float *a, const float *b, float *c, size_t m, size_t n, size_t k",
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
