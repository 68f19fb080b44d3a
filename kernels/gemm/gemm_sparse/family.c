// gemm_sparse: c = a * b by tensor cores, of halves, a 2:4 sparse. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a's values and metadata (gemm_sparse.h), b, n x k, and c, m x n.
#include "gemm_sparse.h"

#include "gemm/frame_plan.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t m = axis(c, M), n = axis(c, N), k = axis(c, K);
    list[VALUES] = (kz_buffer){"values", KZ_INPUT, c->type, kz_gemm_sparse_values(m, k)};
    list[METADATA] = (kz_buffer){"metadata", KZ_INPUT, KZ_U32, kz_gemm_sparse_words(m, k)};
    list[B] = (kz_buffer){"b", KZ_INPUT, c->type, n * k};
    list[C] = (kz_buffer){"c", KZ_OUTPUT, c->type, m * n};
    return 4;
}

// The products that are made: half of a dense a's.
static kz_work work(const kz_case *c) {
    double m = (double)c->axes[M], n = (double)c->axes[N], k = (double)c->axes[K];
    return (kz_work){.bytes = 2.0 * ((double)kz_gemm_sparse_values(axis(c, M), axis(c, K)) + n * k + m * n) +
                              4.0 * (double)kz_gemm_sparse_words(axis(c, M), axis(c, K)),
                     .flops = m * n * k,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------

// A sum of nothing is 0; a plan goes on where this has left `*done` false.
static kz_status plan_empty(const kz_planner *p, bool *done) {
    const kz_case *c = p->c;
    *done = axis(c, M) == 0 || axis(c, N) == 0 || axis(c, K) == 0;
    if (*done && axis(c, K) == 0)
        kz_plan_add_fill(p->plan, kz_arg_buffer(C), 0, axis(c, M) * axis(c, N) * kz_type_size(c->type));
    return KZ_OK;
}

static kz_status plan_native(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    uint64_t blocks = kz_min_u64(axis(p->c, M), (uint64_t)p->device->multiprocessors);
    return status || done ? status : KZ_LAUNCH(p, .blocks = blocks, .threads = 1);
}

static kz_status plan_cores(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    uint64_t tiles = kz_ceil_div(axis(p->c, M), GEMM_SPARSE_CORES_TILE) *
                     kz_ceil_div(axis(p->c, N), GEMM_SPARSE_CORES_TILE);
    return status || done ? status : KZ_LAUNCH(p, .blocks = tiles, .threads = GEMM_SPARSE_CORES_THREADS);
}

// ---- 02: by tensor maps --------------------------------------------------------------------------------

// A kernel of the frame, as its file has it.
typedef struct frame {
    const char *part;
    uint32_t tile_m, tile_n, stages, cluster_m, percent;
    bool tensor_store;
} frame;
enum { LARGE, SMALL, SMALL_DIRECT };
static const frame kinds[] = {
    [LARGE] = {"large", 128, 256, GEMM_SPARSE_STAGES, GEMM_SPARSE_CLUSTER, 100, true},
    [SMALL] = {"small", 128, 128, GEMM_SPARSE_SMALL_STAGES, 1, GEMM_SPARSE_SMALL_PERCENT, true},
    [SMALL_DIRECT] = {"small_direct", 128, 128, GEMM_SPARSE_SMALL_STAGES, 1, GEMM_SPARSE_SMALL_PERCENT,
                      false},
};
enum { CONSUMERS = 2 };

static uint64_t count_clusters(const kz_case *c, const frame *f) {
    return kz_ceil_div(axis(c, M), (uint64_t)f->tile_m * f->cluster_m) * kz_ceil_div(axis(c, N), f->tile_n);
}

// What the multiprocessor that has most to do does, in elements of c.
static uint64_t cost(const kz_planner *p, const frame *f) {
    uint64_t at_once = (uint64_t)p->device->multiprocessors / f->cluster_m;
    return kz_ceil_div(count_clusters(p->c, f), at_once) * f->tile_m * f->tile_n * f->percent;
}

static const frame *choose(const kz_planner *p) {
    if (!gemm_whole_units(axis(p->c, N), p->c->type)) return &kinds[SMALL_DIRECT];
    return &kinds[cost(p, &kinds[SMALL]) < cost(p, &kinds[LARGE]) ? SMALL : LARGE];
}

static kz_tensor tensor_of(kz_type type, uint64_t inner, uint64_t outer, uint64_t pitch) {
    return gemm_tensor(gemm_tensor_type(type), 2, inner, outer, pitch * 2, 64);
}

static kz_arg map_values(const kz_planner *p, const frame *f) {
    uint64_t each = gemm_sparse_steps(axis(p->c, K)) * GEMM_SPARSE_KEPT;
    kz_tensor tensor = tensor_of(p->c->type, each, axis(p->c, M), each);
    tensor.box[0] = GEMM_SPARSE_KEPT, tensor.box[1] = f->tile_m;
    tensor.swizzle = KZ_TENSOR_SWIZZLE_64B;
    return kz_plan_add_map(p->plan, kz_arg_buffer(VALUES), &tensor);
}
static kz_arg map_metadata(const kz_planner *p, const frame *f) {
    uint64_t steps = gemm_sparse_steps(axis(p->c, K)), slabs = kz_ceil_div(axis(p->c, M), GEMM_SPARSE_ROWS);
    kz_tensor tensor = {.size = sizeof(kz_tensor),
                        .type = KZ_TENSOR_U32,
                        .rank = 3,
                        .dims = {GEMM_SPARSE_WORDS, steps, slabs},
                        .strides = {4, KZ_GEMM_METADATA, steps * KZ_GEMM_METADATA},
                        .box = {GEMM_SPARSE_WORDS, 1, f->tile_m / GEMM_SPARSE_ROWS}};
    return kz_plan_add_map(p->plan, kz_arg_buffer(METADATA), &tensor);
}
static kz_arg map_b(const kz_planner *p, const frame *f, kz_arg at, uint64_t pitch) {
    kz_tensor tensor = tensor_of(p->c->type, axis(p->c, K), axis(p->c, N), pitch);
    tensor.box[1] = f->tile_n / f->cluster_m;
    return kz_plan_add_map(p->plan, at, &tensor);
}
static kz_arg map_c(const kz_planner *p) {
    kz_tensor tensor = tensor_of(p->c->type, axis(p->c, N), axis(p->c, M), axis(p->c, N));
    tensor.promotion = KZ_TENSOR_PROMOTION_NONE;
    return kz_plan_add_map(p->plan, kz_arg_buffer(C), &tensor);
}

static kz_status plan_wgmma(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    status = gemm_refuse_addresses(p, p->c->type);
    if (status) return status;
    uint64_t m = axis(p->c, M), n = axis(p->c, N), k = axis(p->c, K), pitch = kz_ceil_div(k, 8) * 8;
    kz_arg b = kz_arg_buffer(B);
    if (pitch != k) { // to the workspace, rows padded
        b = kz_arg_workspace(0);
        p->plan->workspace_bytes = n * pitch * 2;
        status =
            KZ_LAUNCH(p, .entry = "gemm_sparse_wgmma_pad", .blocks = kz_min_u64(n, 65536), .threads = 256,
                      KZ_ARGS(kz_arg_buffer(B), b, kz_arg_u64(n), kz_arg_u64(k), kz_arg_u64(pitch)));
        if (status) return status;
    }
    const frame *f = choose(p);
    uint64_t clusters =
        kz_min_u64(count_clusters(p->c, f), (uint64_t)p->device->multiprocessors / f->cluster_m);
    return KZ_LAUNCH(p, .part = f->part, .blocks = clusters * f->cluster_m,
                     .threads = KZ_GEMM_THREADS(CONSUMERS), .cluster = f->cluster_m > 1 ? f->cluster_m : 0,
                     .overlap = true,
                     .shared_bytes = (uint32_t)KZ_GEMM_SPARSE_SHARED_BYTES(f->tile_m, f->tile_n, f->stages,
                                                                           CONSUMERS, f->tensor_store),
                     KZ_ARGS(map_values(p, f), map_metadata(p, f), map_b(p, f, b, pitch),
                             f->tensor_store ? map_c(p) : kz_arg_buffer(C), kz_arg_u64(m), kz_arg_u64(n),
                             kz_arg_u64(k), kz_arg_u64(GEMM_SPARSE_GROUP / f->cluster_m)));
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", gemm_sparse_natives},
    {"01_cuda_cores", 75, plan_cores, "FFMA of what is kept, for any alignment"},
    {"02_wgmma", KZ_SM_EXACT(90), plan_wgmma, "tensor cores that pick two of four of b"},
};

#define CASE(t, m, n, k, u, ...) {.type = KZ_##t, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(t, m, n, k, ...) CASE(t, m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, m, n, k) CASE(t, m, n, k, KZ_USE_BENCH)
// clang-format on

static const kz_case cases[] = {
    CHECK(BF16, 0, 5, 5),
    CHECK(BF16, 5, 0, 5),
    CHECK(F16, 5, 7, 0), // a sum of nothing: zeros
    CHECK(BF16, 1, 1, 1),
    CHECK(BF16, 40, 24, 16),   // less than a tile, and than a step
    CHECK(F16, 67, 61, 131),   // odd: the last group has three elements
    CHECK(BF16, 136, 264, 72), // tiles and a bit
    CHECK(F16, 136, 264, 72),
    CHECK(BF16, 264, 520, 392), // clusters, more steps than stages
    CHECK(BF16, 72, 40, 2056),
    CHECK(BF16, 33, 36, 20, .misalign = 1),
    KZ_NOT_FINITE(CHECK, BF16, 40, 24, 64), // of b too: what is pruned meets none
    KZ_NOT_FINITE(CHECK, F16, 40, 24, 128),
    KZ_MAGNITUDES(CHECK, F16, 40, 24, 64),
    CHECK(BF16, 40, 24, 64, .data = KZ_DATA_ZEROS),
    CHECK(F16, 40, 24, 640, .data = KZ_DATA_EQUAL),
    BENCH(BF16, 4096, 4096, 4096),
    BENCH(BF16, 8192, 8192, 8192),
    BENCH(F16, 8192, 8192, 8192),
    BENCH(BF16, 4096, 16384, 4096),
    BENCH(BF16, 8191, 8191, 8191), // nothing is aligned
    CASE(BF16, 46352, 46352, 8, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, M) * axis(c, N); }

// By hand: 10 x 20 x 100. Two steps: 10 rows of 64 values, two blocks of 128 words; b of 2000, c of 200.
static const kz_worked worked[] = {
    {{.type = KZ_BF16, .axes = {10, 20, 100}}, {2 * (640 + 2000 + 200) + 4 * 256, 20000}},
};

const kz_family kz_family_gemm_sparse = {
    .name = "gemm_sparse",
    .group = "gemm",
    .summary = "c = a * b by sparse tensor cores; of every four elements of a two are kept",
    .operations = (const char *const[]){"nt", NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_gemm_sparse,
    .buffers = buffers,
    .fill = gemm_sparse_fill,
    .reference = gemm_sparse_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cusparselt", NULL},
    .guest_signature =
        "const T *values, const unsigned *metadata, const T *b, T *c, size_t m, size_t n, size_t k",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_gemm_sparse_open(kz_device *device, kz_type type, size_t m, size_t n, size_t k,
                              const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_gemm_sparse, &c, variant, operation, error);
}

kz_status kz_gemm_sparse_run(kz_operation *operation, kz_stream *stream, kz_ptr values, kz_ptr metadata,
                             kz_ptr b, kz_ptr c, kz_ptr workspace, uint64_t workspace_bytes,
                             kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){values, metadata, b, c}, 4, workspace,
                            workspace_bytes, error);
}
