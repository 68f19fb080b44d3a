// hgemm: c = a * b by tensor cores, of halves. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a, b and c, m x n; an operation's letters say how a and b lie (hgemm.h).
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[A] = (kz_buffer){"a", KZ_INPUT, c->type, axis(c, M) * axis(c, K)};
    list[B] = (kz_buffer){"b", KZ_INPUT, c->type, axis(c, K) * axis(c, N)};
    list[C] = (kz_buffer){"c", KZ_OUTPUT, hgemm_out(c), axis(c, M) * axis(c, N)};
    return 3;
}

static kz_work work(const kz_case *c) {
    double m = (double)c->axes[M], n = (double)c->axes[N], k = (double)c->axes[K];
    return (kz_work){.bytes = 2.0 * (m * k + k * n) + (double)kz_type_size(hgemm_out(c)) * m * n,
                     .flops = 2.0 * m * n * k,
                     .products = true};
}

// ---- plans -----------------------------------------------------------------------------------------

// A sum of nothing is 0; a plan goes on where this has left `*done` false.
static kz_status plan_empty(const kz_planner *p, bool *done) {
    const kz_case *c = p->c;
    *done = axis(c, M) == 0 || axis(c, N) == 0 || axis(c, K) == 0;
    if (*done && axis(c, K) == 0)
        kz_plan_add_fill(p->plan, kz_arg_buffer(C), 0, axis(c, M) * axis(c, N) * kz_type_size(hgemm_out(c)));
    return KZ_OK;
}

// 01 to 04: a block per tile, and the family's arguments.
static kz_status plan_tiles(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    uint64_t side = p->variant->tile,
             tiles = kz_ceil_div(axis(p->c, M), side) * kz_ceil_div(axis(p->c, N), side);
    return status || done ? status
                          : KZ_LAUNCH(p, .blocks = tiles, .threads = p->variant->threads,
                                      .shared_bytes = p->variant->width);
}

// ---- by tensor maps ----------------------------------------------------------------------------------

// An operand as it lies in memory: `outer` rows of `inner` elements, `pitch` elements apart.
typedef struct operand {
    uint64_t outer, inner, pitch;
    kz_arg at;
    bool mn; // contiguous along m or n, not along k
} operand;

static operand operand_of(const kz_case *c, uint32_t buffer) {
    bool mn = buffer == A ? hgemm_a_mn(c) : hgemm_b_mn(c);
    uint64_t rows = axis(c, buffer == A ? M : N), k = axis(c, K), inner = mn ? rows : k;
    return (operand){mn ? k : rows, inner, inner, kz_arg_buffer(buffer), mn};
}

static kz_tensor tensor_of(kz_type type, uint64_t inner, uint64_t outer, uint64_t pitch, uint32_t rows) {
    uint64_t bytes = kz_type_size(type);
    return (kz_tensor){.size = sizeof(kz_tensor),
                       .type = type == KZ_F32   ? KZ_TENSOR_F32
                               : type == KZ_F16 ? KZ_TENSOR_F16
                                                : KZ_TENSOR_BF16,
                       .rank = 3,
                       .dims = {inner, outer, 1},
                       .strides = {bytes, pitch * bytes, outer * pitch * bytes},
                       .box = {(uint32_t)(KZ_GEMM_CHUNK / bytes), rows, 1},
                       .swizzle = KZ_TENSOR_SWIZZLE_128B,
                       .promotion = KZ_TENSOR_PROMOTION_128B};
}

// The map by which `rows` rows of a tile are fetched: all at once, or by slabs of 64 along m or n.
static kz_arg map_operand(const kz_planner *p, const operand *o, uint32_t rows) {
    kz_tensor tensor = tensor_of(p->c->type, o->inner, o->outer, o->pitch, o->mn ? 64 : rows);
    return kz_plan_add_map(p->plan, o->at, &tensor);
}

static kz_arg map_result(const kz_planner *p) {
    kz_tensor tensor = tensor_of(hgemm_out(p->c), axis(p->c, N), axis(p->c, M), axis(p->c, N), 64);
    tensor.promotion = KZ_TENSOR_PROMOTION_NONE;
    return kz_plan_add_map(p->plan, kz_arg_buffer(C), &tensor);
}

static bool whole_units(uint64_t elements, kz_type type) { return elements * kz_type_size(type) % 16 == 0; }

// What tensor maps do not do at all.
static kz_status refuse_addresses(const kz_planner *p) {
    if (!whole_units(p->c->misalign, p->c->type) || !whole_units(p->c->misalign, hgemm_out(p->c)))
        return kz_plan_refuse(p->error, "tensor maps need matrices that begin at multiples of 16 bytes");
    for (int i = M; i <= K; i++)
        if (p->c->axes[i] > INT32_MAX)
            return kz_plan_refuse(p->error, "an axis of %lld is more than a tensor map's coordinates count",
                                  (long long)p->c->axes[i]);
    return KZ_OK;
}

static kz_status refuse_rows(const kz_planner *p, const operand *o, const char *name) {
    if (whole_units(o->inner, p->c->type)) return KZ_OK;
    return kz_plan_refuse(p->error, "rows of %s have %llu elements; tensor maps need multiples of 8", name,
                          (unsigned long long)o->inner);
}

// A kernel of the frame, as its file has it.
typedef struct frame {
    const char *part; // NULL, or the part of the kernel's name
    uint32_t tile_m, tile_n, stages, cluster_m, consumers;
    bool tensor_store, persistent;
} frame;

static uint64_t clusters_of(const kz_case *c, const frame *f) {
    return kz_ceil_div(axis(c, M), (uint64_t)f->tile_m * f->cluster_m) * kz_ceil_div(axis(c, N), f->tile_n);
}

static kz_status launch_frame(const kz_planner *p, const frame *f, const operand *a, const operand *b) {
    uint64_t clusters = clusters_of(p->c, f);
    if (f->persistent) clusters = kz_min_u64(clusters, (uint64_t)p->device->multiprocessors / f->cluster_m);
    kz_arg c = f->tensor_store ? map_result(p) : kz_arg_buffer(C);
    uint64_t group = f->persistent ? HGEMM_GROUP / f->cluster_m : 1;
    return KZ_LAUNCH(p, .part = f->part, .blocks = clusters * f->cluster_m,
                     .threads = KZ_GEMM_THREADS(f->consumers), .cluster = f->cluster_m > 1 ? f->cluster_m : 0,
                     .shared_bytes = (uint32_t)KZ_GEMM_SHARED_BYTES(f->tile_m, f->tile_n, f->stages,
                                                                    f->consumers, f->tensor_store),
                     KZ_ARGS(map_operand(p, a, f->tile_m), map_operand(p, b, f->tile_n / f->cluster_m), c,
                             kz_arg_u64(axis(p->c, M)), kz_arg_u64(axis(p->c, N)), kz_arg_u64(axis(p->c, K)),
                             kz_arg_u64(group)));
}

static kz_status plan_frame(const kz_planner *p, const frame *f) {
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    bool done;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    if (p->c->operation > KZ_HGEMM_NT)
        return kz_plan_refuse(p->error, "this rung has the orders nn and nt, c of the same type; 12 has all");
    status = refuse_addresses(p);
    if (!status) status = refuse_rows(p, &a, "a");
    if (!status) status = refuse_rows(p, &b, "b");
    if (!status && f->tensor_store && !whole_units(axis(p->c, N), hgemm_out(p->c)))
        status = kz_plan_refuse(p->error, "rows of c do not begin at multiples of 16 bytes");
    return status ? status : launch_frame(p, f, &a, &b);
}

// 05 is no frame's kernel, but is launched like one: its arguments are the first six.
static kz_status plan_wgmma(const kz_planner *p) {
    const frame f = {NULL, HGEMM_WGMMA_TILE, HGEMM_WGMMA_TILE, 1, 1, 0, false, false};
    kz_status status = plan_frame(p, &f);
    if (!status && p->plan->map_count > 0) p->plan->steps[p->plan->step_count - 1].arg_count = 6;
    return status;
}
static kz_status plan_warp_specialized(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_WGMMA_TILE, HGEMM_WGMMA_TILE, HGEMM_SINGLE_STAGES, 1, 1});
}
static kz_status plan_two_consumers(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 1, 2});
}
static kz_status plan_persistent(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 1, 2, .persistent = true});
}
static kz_status plan_cluster(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, .persistent = true});
}
static kz_status plan_tensor_store(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, true, true});
}
static kz_status plan_ping_pong(const kz_planner *p) {
    return plan_frame(
        p, &(frame){NULL, HGEMM_PING_PONG_M, HGEMM_PING_PONG_N, HGEMM_PING_PONG_STAGES, 2, 2, true, true});
}

// ---- 12: every shape ---------------------------------------------------------------------------------

// An operand whose rows a tensor map cannot take is copied to the workspace, rows padded to whole units.
static kz_status pad(const kz_planner *p, operand *o) {
    if (whole_units(o->inner, p->c->type)) return KZ_OK;
    kz_arg from = o->at;
    o->pitch = kz_ceil_div(o->inner, 8) * 8;
    o->at = kz_arg_workspace(p->plan->workspace_bytes);
    p->plan->workspace_bytes += kz_ceil_div(o->outer * o->pitch * 2, 256) * 256;
    uint64_t blocks =
        kz_min_u64(kz_ceil_div(o->outer * o->pitch / 8, 256), 32 * (uint64_t)p->device->multiprocessors);
    return KZ_LAUNCH(p, .entry = "hgemm_any_shape_pad", .blocks = blocks, .threads = 256,
                     KZ_ARGS(from, o->at, kz_arg_u64(o->outer), kz_arg_u64(o->inner), kz_arg_u64(o->pitch)));
}

// By the work of the multiprocessor that has most, counted in tiles of 128 x 128.
static bool small_is_better(const kz_planner *p, const frame *large, const frame *small) {
    uint64_t all = (uint64_t)p->device->multiprocessors;
    uint64_t rounds_large = kz_ceil_div(clusters_of(p->c, large) * large->cluster_m, all);
    uint64_t rounds_small = kz_ceil_div(clusters_of(p->c, small), all);
    return HGEMM_SMALL_PERCENT * rounds_small < 100 * 2 * rounds_large;
}

static kz_status plan_any_shape(const kz_planner *p) {
    const frame frames[2][2] = {
        {{"large_direct", HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, false, true},
         {"large", HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, true, true}},
        {{"small_direct", HGEMM_TILE_M, HGEMM_SMALL_N, HGEMM_SMALL_STAGES, 1, 2, false, true},
         {"small", HGEMM_TILE_M, HGEMM_SMALL_N, HGEMM_SMALL_STAGES, 1, 2, true, true}},
    };
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    bool done, tensor = whole_units(axis(p->c, N), hgemm_out(p->c));
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    status = refuse_addresses(p);
    if (!status) status = pad(p, &a);
    if (!status) status = pad(p, &b);
    bool small = small_is_better(p, &frames[0][0], &frames[1][0]);
    return status ? status : launch_frame(p, &frames[small][tensor], &a, &b);
}

// clang-format off
enum { MMA_BYTES = HGEMM_MMA_STAGES * 2 * HGEMM_MMA_TILE * HGEMM_MMA_DEPTH * 2 }; // of shared memory, in 04
static const kz_variant variants[] = { // the order is the journey
    {"01_wmma", 80, plan_tiles, "the compiler's fragments of 16 x 16", .threads = 128, .tile = HGEMM_WMMA_TILE},
    {"02_mma", 80, plan_tiles, "mma.sync and ldmatrix, 64 x 32 per warp", .threads = HGEMM_MMA_THREADS,
     .tile = HGEMM_MMA_TILE},
    {"03_swizzle", 80, plan_tiles, "no two rows of an 8 x 8 block in one bank", .threads = HGEMM_MMA_THREADS,
     .tile = HGEMM_MMA_TILE},
    {"04_async_copy", 80, plan_tiles, "cp.async: three chunks are on their way", .threads = HGEMM_MMA_THREADS,
     .tile = HGEMM_MMA_TILE, .width = MMA_BYTES},
    {"05_wgmma", KZ_SM_EXACT(90), plan_wgmma, "wgmma out of shared memory, filled by tensor maps"},
    {"06_warp_specialized", KZ_SM_EXACT(90), plan_warp_specialized, "a warp that copies, a warpgroup that multiplies"},
    {"07_two_consumers", KZ_SM_EXACT(90), plan_two_consumers, "128 x 256, shared by two warpgroups"},
    {"08_persistent", KZ_SM_EXACT(90), plan_persistent, "blocks that stay, in an order that suits L2"},
    {"09_cluster", KZ_SM_EXACT(90), plan_cluster, "two blocks fetch b's chunk once"},
    {"10_tensor_store", KZ_SM_EXACT(90), plan_tensor_store, "c leaves by a tensor map under the next tile"},
    {"11_ping_pong", KZ_SM_EXACT(90), plan_ping_pong, "one warpgroup multiplies while the other stores"},
    {"12_any_shape", KZ_SM_EXACT(90), plan_any_shape, "odd rows padded first, small tiles for small matrices"},
};

// ---- cases -----------------------------------------------------------------------------------------

#define CASE(o, t, m, n, k, u, ...)                                                                          \
    {.operation = KZ_HGEMM_##o, .type = KZ_##t, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(o, t, m, n, k, ...) CASE(o, t, m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, m, n, k) CASE(o, t, m, n, k, KZ_USE_BENCH)
// One element; less than a tile; rows that are whole units and not; tiles and a bit; more chunks than stages.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 1, 1, 1), CHECK(o, t, 40, 24, 16), CHECK(o, t, 67, 61, 131), CHECK(o, t, 136, 264, 72),      \
    CHECK(o, t, 33, 36, 20, .misalign = 1)
// clang-format on

static const kz_case cases[] = {
    CHECK(NN, BF16, 0, 5, 5),
    CHECK(NN, BF16, 5, 0, 5),
    CHECK(NT, F16, 5, 7, 0), // a sum of nothing: zeros
    EDGES(NN, BF16),
    EDGES(NT, BF16),
    EDGES(TN, BF16),
    EDGES(TT, BF16),
    EDGES(NT, F16),
    EDGES(TN_F32, F16),
    EDGES(NT_F32, BF16),
    CHECK(NN_F32, BF16, 67, 61, 131),
    CHECK(TT_F32, F16, 136, 264, 72),
    CHECK(TT, F16, 67, 61, 131),
    CHECK(NN, F16, 136, 264, 72),
    CHECK(NT, BF16, 264, 520, 392), // clusters, more chunks than stages
    CHECK(NN, BF16, 264, 520, 392),
    CHECK(NT, BF16, 1, 520, 264), // a row
    CHECK(NN, BF16, 264, 8, 264), // a narrow one
    KZ_NOT_FINITE(CHECK, NN, BF16, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, NT, F16, 40, 24, 16),
    CHECK(NT, BF16, 40, 24, 16, .data = KZ_DATA_ZEROS),
    CHECK(NT, F16, 40, 24, 600, .data = KZ_DATA_EQUAL), // products that all round alike
    CHECK(NT_F32, F16, 40, 24, 600, .data = KZ_DATA_EQUAL),
    CHECK(NT, F16, 40, 24, 16, .data = KZ_DATA_LARGE), // past the largest half
    CHECK(NT, BF16, 40, 24, 16, .data = KZ_DATA_SMALL),
    CHECK(NT, F16, 40, 24, 16, .data = KZ_DATA_DENORMAL),
    BENCH(NT, BF16, 1024, 1024, 1024),
    BENCH(NT, BF16, 2048, 2048, 2048),
    BENCH(NT, BF16, 4096, 4096, 4096),
    BENCH(NT, BF16, 8192, 8192, 8192),
    BENCH(NT, BF16, 16384, 16384, 16384),
    BENCH(NN, BF16, 4096, 4096, 4096),
    BENCH(NN, BF16, 8192, 8192, 8192),
    BENCH(TN, BF16, 4096, 4096, 4096),
    BENCH(TT, BF16, 4096, 4096, 4096),
    BENCH(NT, F16, 4096, 4096, 4096),
    BENCH(NT_F32, BF16, 4096, 4096, 4096),
    BENCH(NN, BF16, 8191, 8191, 8191), // nothing is aligned
    BENCH(NT, BF16, 4096, 16384, 4096),
    BENCH(NT, BF16, 4096, 4096, 128),
    CASE(NT, BF16, 46352, 46352, 8, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, M) * axis(c, N); }

// By hand: 10 x 20 x 30; c in halves, and in floats.
static const kz_worked worked[] = {
    {{.operation = KZ_HGEMM_NN, .type = KZ_F16, .axes = {10, 20, 30}}, {2 * (300 + 600 + 200), 12000}},
    {{.operation = KZ_HGEMM_TT_F32, .type = KZ_BF16, .axes = {10, 20, 30}},
     {2 * (300 + 600) + 4 * 200, 12000}},
};

const kz_family kz_family_hgemm = {
    .name = "hgemm",
    .group = "gemm",
    .summary = "c = a * b by tensor cores, sums in f32; a and b in any order",
    .operations = (const char *const[]){"nn", "nt", "tn", "tt", "nn_f32", "nt_f32", "tn_f32", "tt_f32", NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_hgemm,
    .buffers = buffers,
    .reference = hgemm_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "cublaslt", NULL},
    .guest_signature = "const T *a, const T *b, T *c, size_t m, size_t n, size_t k\n"
                       "*_f32-*: const T *a, const T *b, float *c, size_t m, size_t n, size_t k",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_hgemm_open(kz_device *device, kz_hgemm_order order, kz_type type, size_t m, size_t n, size_t k,
                        const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = (uint32_t)order, .type = type, .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_hgemm, &c, variant, operation, error);
}

kz_status kz_hgemm_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                       kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){a, b, c}, 3, workspace, workspace_bytes, error);
}
