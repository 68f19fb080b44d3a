// hgemm: c = a * b by tensor cores, of halves. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a, b and c, m x n; an operation's letters say how a and b lie (hgemm.h).
#include "gemm/frame_plan.h"
#include "gemm/two_widths.h"
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
                     .products = KZ_PRODUCTS_OF_TYPE};
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

static kz_status plan_native(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    uint64_t blocks = kz_min_u64(axis(p->c, M), (uint64_t)p->device->multiprocessors);
    return status || done ? status : KZ_LAUNCH(p, .blocks = blocks, .threads = 1);
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

typedef gemm_operand operand;

static operand operand_of(const kz_case *c, uint32_t buffer) {
    bool a = buffer == A;
    return gemm_operand_of(kz_arg_buffer(buffer), axis(c, a ? M : N), axis(c, K),
                           a ? hgemm_a_mn(c) : hgemm_b_mn(c));
}

// A kernel of the frame, as its file has it.
typedef struct frame {
    const char *part; // NULL, or the part of the kernel's name
    uint32_t tile_m, tile_n, stages, consumers;
    uint32_t cluster_m, cluster_k; // 0: 1
    bool tensor_store, persistent;
    uint32_t percent; // of the time that 128 x 256 takes for the same products; 13
} frame;

static uint32_t at_least_one(uint32_t n) { return n > 0 ? n : 1; }
static uint32_t blocks_of(const frame *f) { return at_least_one(f->cluster_m) * at_least_one(f->cluster_k); }

// Clusters that c needs, `rows` x `columns`.
static uint64_t count_clusters(const frame *f, uint64_t rows, uint64_t columns) {
    return kz_ceil_div(rows, (uint64_t)f->tile_m * at_least_one(f->cluster_m)) *
           kz_ceil_div(columns, f->tile_n);
}

typedef struct split {
    uint64_t tiles; // that are shared out along k; their partial sums are the workspace
} split;

// a and b as the kernel sees them, and so m and n: few rows of a are its b.
static kz_status launch_frame(const kz_planner *p, const frame *f, const operand *a, const operand *b,
                              const split *s) {
    uint64_t m = a->rows, n = b->rows;
    uint64_t clusters = count_clusters(f, m, n), blocks = blocks_of(f);
    uint64_t at_once = (uint64_t)p->device->multiprocessors / blocks;
    if ((s && s->tiles > 0) || (f->persistent && clusters > at_once)) clusters = at_once;
    uint64_t group = f->persistent ? HGEMM_GROUP : 1;
    kz_arg args[] = {gemm_map_operand(p, a, f->tile_m),
                     gemm_map_operand(p, b, f->tile_n / at_least_one(f->cluster_m)),
                     f->tensor_store
                         ? gemm_map_result(p, kz_arg_buffer(C), hgemm_out(p->c), axis(p->c, M), axis(p->c, N))
                         : kz_arg_buffer(C),
                     kz_arg_u64(m),
                     kz_arg_u64(n),
                     kz_arg_u64(axis(p->c, K)),
                     kz_arg_u64(group),
                     kz_arg_u64(s ? s->tiles : 0),
                     s && s->tiles > 0 ? kz_arg_workspace(0) : kz_arg_u64(0)};
    return KZ_LAUNCH(p, .part = f->part, .blocks = clusters * blocks,
                     .threads = KZ_GEMM_THREADS(f->consumers), .cluster = blocks > 1 ? (uint32_t)blocks : 0,
                     .overlap = true,
                     .shared_bytes = (uint32_t)KZ_GEMM_SHARED_BYTES(f->tile_m, f->tile_n, f->stages,
                                                                    f->consumers, f->tensor_store),
                     .args = args, .arg_count = s ? 9 : 7);
}

// What rungs 05 to 12 do: orders nn and nt, and rows of whole units.
static kz_status plan_rung(const kz_planner *p, const frame *f, const split *s) {
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    if (p->c->operation > KZ_HGEMM_NT)
        return kz_plan_refuse(p->error, "this rung has the orders nn and nt, c of the same type; 13 has all");
    kz_status status = gemm_refuse_addresses(p, hgemm_out(p->c));
    if (!status) status = gemm_refuse_rows(p, &a, "a");
    if (!status) status = gemm_refuse_rows(p, &b, "b");
    if (!status && f->tensor_store && !gemm_whole_units(axis(p->c, N), hgemm_out(p->c)))
        status = kz_plan_refuse(p->error, "rows of c do not begin at multiples of 16 bytes");
    return status ? status : launch_frame(p, f, &a, &b, s);
}
static kz_status plan_frame(const kz_planner *p, const frame *f) {
    bool done;
    kz_status status = plan_empty(p, &done);
    return status || done ? status : plan_rung(p, f, NULL);
}

// 05 is no frame's kernel, but is launched like one: its arguments are the first six, and its launches do not overlap.
static kz_status plan_wgmma(const kz_planner *p) {
    const frame f = {NULL, HGEMM_WGMMA_TILE, HGEMM_WGMMA_TILE, 1, 0};
    kz_status status = plan_frame(p, &f);
    if (!status && p->plan->map_count > 0) {
        kz_step *step = &p->plan->steps[p->plan->step_count - 1];
        step->arg_count = 6;
        step->launch.overlap = false;
    }
    return status;
}
static kz_status plan_warp_specialized(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_WGMMA_TILE, HGEMM_WGMMA_TILE, HGEMM_SINGLE_STAGES, 1});
}
static kz_status plan_two_consumers(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2});
}
static kz_status plan_persistent(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, .persistent = true});
}
static kz_status plan_cluster(const kz_planner *p) {
    return plan_frame(p, &(frame){NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, .persistent = true});
}
static const frame tensor_store = {NULL, HGEMM_TILE_M, HGEMM_TILE_N, HGEMM_STAGES, 2, 2, 0, true, true};
static kz_status plan_tensor_store(const kz_planner *p) { return plan_frame(p, &tensor_store); }
static kz_status plan_ping_pong(const kz_planner *p) {
    const frame f = {NULL, HGEMM_PING_PONG_M, HGEMM_PING_PONG_N, HGEMM_PING_PONG_STAGES, 2, 2, 0, true, true};
    return plan_frame(p, &f);
}

// ---- 12: stream-k ------------------------------------------------------------------------------------

// Tiles that fill no round, and those of one full round with them, are shared out; where there are less than a round, all,
// as long as each cluster gets a few chunks.
static kz_status plan_stream_k(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    const frame *f = &tensor_store;
    uint64_t tiles = count_clusters(f, axis(p->c, M), axis(p->c, N)), chunks = kz_ceil_div(axis(p->c, K), 64);
    uint64_t workers = (uint64_t)p->device->multiprocessors / blocks_of(f);
    split s = {.tiles = tiles % workers};
    if (tiles > workers && s.tiles > 0) s.tiles += workers;
    if (s.tiles * chunks < workers * HGEMM_LEAST_CHUNKS) s.tiles = 0;
    if (s.tiles > 0)
        p->plan->workspace_bytes = workers * blocks_of(f) * f->tile_m * f->tile_n * sizeof(float);
    return plan_rung(p, f, &s);
}

// ---- 13: every shape ---------------------------------------------------------------------------------

enum { LARGE, WIDE, SMALL, NARROW, LARGE_DIRECT, NARROW_DIRECT, SPLIT, ROWS_16, ROWS_64 };
static const frame kinds[] = {
    [LARGE] = {"large", 128, 256, HGEMM_STAGES, 2, 2, 0, true, true, 100},
    [WIDE] = {"wide", 128, 192, HGEMM_STAGES, 2, 0, 0, true, true, HGEMM_WIDE_PERCENT},
    [SMALL] = {"small", 128, 128, HGEMM_SMALL_STAGES, 2, 0, 0, true, true, HGEMM_SMALL_PERCENT},
    [NARROW] = {"narrow", 64, 128, HGEMM_NARROW_STAGES, 1, 0, 0, true, true, HGEMM_NARROW_PERCENT},
    [LARGE_DIRECT] = {"large_direct", 128, 256, HGEMM_STAGES, 2, 2, 0, false, true, 100},
    [NARROW_DIRECT] = {"narrow_direct", 64, 128, HGEMM_NARROW_STAGES, 1, 0, 0, false, true,
                       HGEMM_NARROW_PERCENT},
    [SPLIT] = {"split", 64, 64, HGEMM_FEW_STAGES, 1, 0, HGEMM_SPLIT},
    [ROWS_16] = {"rows_16", 64, 16, HGEMM_FEW_STAGES, 1, .persistent = true},
    [ROWS_64] = {"rows_64", 64, 64, HGEMM_FEW_STAGES, 1, .persistent = true},
};

// What the multiprocessor that has most to do does, in elements of c: rounds of tiles, and the kind's own percentage.
static uint64_t cost(const kz_planner *p, const frame *f) {
    uint64_t at_once = (uint64_t)p->device->multiprocessors / blocks_of(f);
    uint64_t rounds = kz_ceil_div(count_clusters(f, axis(p->c, M), axis(p->c, N)), at_once);
    return rounds * f->tile_m * f->tile_n * f->percent;
}

static const frame *choose(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t m = axis(c, M), chunks = kz_ceil_div(axis(c, K), 64);
    uint64_t blocks = count_clusters(&kinds[SPLIT], m, axis(c, N)) * HGEMM_SPLIT;
    if (blocks <= (uint64_t)p->device->multiprocessors && chunks >= HGEMM_SPLIT * HGEMM_LEAST_CHUNKS)
        return &kinds[SPLIT];
    if (m <= 64 && c->operation <= KZ_HGEMM_NT) return &kinds[m <= 16 ? ROWS_16 : ROWS_64];
    bool tensor = gemm_whole_units(axis(c, N), hgemm_out(c));
    int first = tensor ? LARGE : LARGE_DIRECT, last = tensor ? NARROW : NARROW_DIRECT, best = first;
    for (int i = first + 1; i <= last; i++)
        if (cost(p, &kinds[i]) < cost(p, &kinds[best])) best = i;
    return &kinds[best];
}

static kz_status plan_any_shape(const kz_planner *p) {
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    bool done;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    status = gemm_refuse_addresses(p, hgemm_out(p->c));
    if (!status) status = gemm_pad(p, &a, "hgemm_any_shape_pad");
    if (!status) status = gemm_pad(p, &b, "hgemm_any_shape_pad");
    if (status) return status;
    const frame *f = choose(p);
    bool swap = f == &kinds[ROWS_16] || f == &kinds[ROWS_64];
    return launch_frame(p, f, swap ? &b : &a, swap ? &a : &b, NULL);
}

// ---- 15: tiles of two widths ---------------------------------------------------------------------------

// The share of its time in which a block that has most to do works at columns of c.
static double fill(const gemm_widths *w, uint32_t wide_n, uint64_t columns) {
    return (double)columns / (double)(w->most_wide * wide_n + w->most_narrow * HGEMM_NARROW_N);
}

static kz_status plan_two_widths(const kz_planner *p) {
    bool done;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    operand b = operand_of(p->c, B);
    frame f = {"wide", HGEMM_TALL_M,         HGEMM_WIDE_N,      HGEMM_TALL_STAGES,
               2,      .tensor_store = true, .persistent = true};
    uint64_t down = kz_ceil_div(axis(p->c, M), f.tile_m), n = axis(p->c, N),
             blocks = (uint64_t)p->device->multiprocessors;
    gemm_widths widths = gemm_choose_widths(down, n, f.tile_n, HGEMM_NARROW_N, blocks);
    if (!b.mn) {
        gemm_widths widest = gemm_choose_widths(down, n, HGEMM_WIDEST_N, HGEMM_NARROW_N, blocks);
        if (fill(&widest, HGEMM_WIDEST_N, n) > fill(&widths, HGEMM_WIDE_N, n))
            widths = widest, f.part = "widest", f.tile_n = HGEMM_WIDEST_N;
    }
    status = plan_rung(p, &f, NULL);
    if (status) return status;
    kz_step *step = &p->plan->steps[p->plan->step_count - 1];
    step->launch.grid[0] = (uint32_t)kz_min_u64(down * (widths.wide + widths.narrow), blocks);
    step->args[step->arg_count++] = gemm_map_operand(p, &b, HGEMM_NARROW_N);
    step->args[step->arg_count++] = kz_arg_u64(widths.wide);
    step->args[step->arg_count++] = kz_arg_u64(widths.narrow);
    return KZ_OK;
}

// clang-format off
enum { MMA_BYTES = HGEMM_MMA_STAGES * 2 * GEMM_MMA_CHUNK_BYTES }; // of shared memory, in 04
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", hgemm_natives},
    {"01_wmma", 80, plan_tiles, "the compiler's fragments of 16 x 16", .threads = 128, .tile = HGEMM_WMMA_TILE},
    {"02_mma", 80, plan_tiles, "mma.sync and ldmatrix, 64 x 32 per warp", .threads = GEMM_MMA_THREADS,
     .tile = GEMM_MMA_TILE},
    {"03_swizzle", 80, plan_tiles, "no two rows of an 8 x 8 block in one bank", .threads = GEMM_MMA_THREADS,
     .tile = GEMM_MMA_TILE},
    {"04_async_copy", 80, plan_tiles, "cp.async: three chunks are on their way", .threads = GEMM_MMA_THREADS,
     .tile = GEMM_MMA_TILE, .width = MMA_BYTES},
    {"05_wgmma", KZ_SM_EXACT(90), plan_wgmma, "wgmma out of shared memory, filled by tensor maps"},
    {"06_warp_specialized", KZ_SM_EXACT(90), plan_warp_specialized, "a warp that copies, a warpgroup that multiplies"},
    {"07_two_consumers", KZ_SM_EXACT(90), plan_two_consumers, "128 x 256, shared by two warpgroups"},
    {"08_persistent", KZ_SM_EXACT(90), plan_persistent, "blocks that stay, in an order that suits L2"},
    {"09_cluster", KZ_SM_EXACT(90), plan_cluster, "two blocks fetch b's chunk once"},
    {"10_tensor_store", KZ_SM_EXACT(90), plan_tensor_store, "c leaves by a tensor map under the next tile"},
    {"11_ping_pong", KZ_SM_EXACT(90), plan_ping_pong, "one warpgroup multiplies while the other stores"},
    {"12_stream_k", KZ_SM_EXACT(90), plan_stream_k, "tiles cut along k, so that all end together"},
    {"13_any_shape", KZ_SM_EXACT(90), plan_any_shape, "the tile that fits; odd rows padded first"},
    {"14_cuda_cores", 75, plan_tiles, "FFMA, where tensor cores do not have the type", .threads = 256,
     .tile = HGEMM_CORES_TILE},
    {"15_two_widths", KZ_SM_EXACT(90), plan_two_widths, "256 x 192 or 208, the last columns 128: all end together"},
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
    CHECK(NT, BF16, 1, 520, 264),  // a row
    CHECK(NN, BF16, 40, 520, 264), // few
    CHECK(NT, BF16, 72, 40, 2056), // long sums
    CHECK(NT, BF16, 8, 520, 5640), // shared out along k
    CHECK(NN, BF16, 264, 8, 264),  // a narrow one
    CHECK(NT, BF16, 1, 40008, 8),  // a wide tile and a narrow one for each block
    CHECK(NN, F16, 1, 17008, 72),
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
    .rivals = (const char *const[]){"cublas", "cublaslt", "cutlass", NULL},
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
