// gemm_types: the plans of its variants.
#include "gemm/frame_plan.h"
#include "gemm/mma_shape.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

// A sum of nothing is 0; a plan goes on where this has left `*done` false.
static kz_status plan_empty(const kz_planner *p, bool *done) {
    const gemm_types_format *f = gemm_types_format_of(p->c);
    uint64_t m = gemm_types_axis(p->c, M), n = gemm_types_axis(p->c, N), k = gemm_types_axis(p->c, K);
    if (p->c->type != f->out)
        return kz_plan_refuse(p->error, "c of %s has the type %s", f->name, kz_type_name(f->out));
    *done = m == 0 || n == 0 || k == 0;
    if (*done && k == 0) kz_plan_add_fill(p->plan, kz_arg_buffer(C), 0, m * n * kz_type_size(f->out));
    return KZ_OK;
}

// ---- elements one by one -----------------------------------------------------------------------------------

// The buffers, the axes, and the order: bit 1, a is MN-major; bit 0, b is not.
static kz_status launch_plain(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C), kz_arg_buffer(SCALE_A),
                             kz_arg_buffer(SCALE_B), kz_arg_u64(gemm_types_axis(p->c, M)),
                             kz_arg_u64(gemm_types_axis(p->c, N)), kz_arg_u64(gemm_types_axis(p->c, K)),
                             kz_arg_u64(p->c->operation % ORDERS)));
}

kz_status gemm_types_plan_native(const kz_planner *p) {
    bool done = false;
    kz_status status = plan_empty(p, &done);
    uint64_t blocks = kz_min_u64(gemm_types_axis(p->c, M), (uint64_t)p->device->multiprocessors);
    return status || done ? status : launch_plain(p, blocks, 1);
}

kz_status gemm_types_plan_cores(const kz_planner *p) {
    bool done = false;
    kz_status status = plan_empty(p, &done);
    uint64_t tiles = kz_ceil_div(gemm_types_axis(p->c, M), GEMM_TYPES_CORES_TILE) *
                     kz_ceil_div(gemm_types_axis(p->c, N), GEMM_TYPES_CORES_TILE);
    return status || done ? status : launch_plain(p, tiles, GEMM_TYPES_CORES_THREADS);
}

// ---- by tensor maps ----------------------------------------------------------------------------------------

// A kernel of the frame, as its file has it.
typedef struct frame {
    const char *part; // NULL, or the part of the kernel's name
    uint32_t tile_m, tile_n, stages, consumers, cluster_m, cluster_k;
    bool tensor_store;
    uint32_t percent; // of the time that the large tile takes for the same products; 04
} frame;

// An operand as the kernel sees it: K-major rows, `pitch` elements apart; one above the other, its parts.
typedef struct operand {
    uint64_t rows, pitch, parts;
    kz_arg at;
} operand;

static uint64_t rows_of(const kz_case *c, uint32_t buffer) { return gemm_types_axis(c, buffer == A ? M : N); }

static operand operand_of(const kz_case *c, uint32_t buffer) {
    return (operand){rows_of(c, buffer), gemm_types_axis(c, K), 1, kz_arg_buffer(buffer)};
}

// Copies of floats round to tf32, to nearest even; the tensor core alone would cut them off.
static kz_arg map_operand(const kz_planner *p, const operand *o, uint32_t rows) {
    const gemm_types_format *f = gemm_types_format_of(p->c);
    uint64_t bytes = kz_type_size(f->in);
    kz_tensor tensor = gemm_tensor(f->in == KZ_F32 ? KZ_TENSOR_TF32 : KZ_TENSOR_U8, bytes,
                                   gemm_types_axis(p->c, K), o->rows, o->pitch * bytes, rows);
    tensor.dims[2] = o->parts;
    return kz_plan_add_map(p->plan, o->at, &tensor);
}

static kz_arg map_result(const kz_planner *p) {
    kz_type out = gemm_types_format_of(p->c)->out;
    uint64_t m = gemm_types_axis(p->c, M), n = gemm_types_axis(p->c, N), bytes = kz_type_size(out);
    kz_tensor tensor =
        gemm_tensor(out == KZ_I32 ? KZ_TENSOR_S32 : gemm_tensor_type(out), bytes, n, m, n * bytes, 64);
    tensor.promotion = KZ_TENSOR_PROMOTION_NONE;
    return kz_plan_add_map(p->plan, kz_arg_buffer(C), &tensor);
}

// What the frame does not do at all.
static kz_status refuse(const kz_planner *p) {
    if (gemm_types_format_of(p->c)->element == GEMM_F64)
        return kz_plan_refuse(p->error, "wgmma has no doubles; 05 multiplies them by mma.sync");
    for (int i = M; i <= K; i++)
        if (p->c->axes[i] > INT32_MAX)
            return kz_plan_refuse(p->error, "an axis of %lld is more than a tensor map's coordinates count",
                                  (long long)p->c->axes[i]);
    return KZ_OK;
}

static uint64_t count_clusters(const kz_planner *p, const frame *f) {
    return kz_ceil_div(gemm_types_axis(p->c, M), (uint64_t)f->tile_m * f->cluster_m) *
           kz_ceil_div(gemm_types_axis(p->c, N), f->tile_n);
}
static uint64_t clusters_at_once(const kz_planner *p, const frame *f) {
    return (uint64_t)p->device->multiprocessors / (f->cluster_m * f->cluster_k);
}

static kz_status launch_frame(const kz_planner *p, const frame *f, const operand *a, const operand *b) {
    uint64_t clusters = count_clusters(p, f), blocks = f->cluster_m * f->cluster_k;
    if (f->cluster_k == 1) clusters = kz_min_u64(clusters, clusters_at_once(p, f)); // blocks stay
    return KZ_LAUNCH(
        p, .part = f->part, .blocks = clusters * blocks, .threads = KZ_GEMM_THREADS(f->consumers),
        .cluster = blocks > 1 ? (uint32_t)blocks : 0, .overlap = true,
        .shared_bytes =
            (uint32_t)KZ_GEMM_SHARED_BYTES(f->tile_m, f->tile_n, f->stages, f->consumers, f->tensor_store),
        KZ_ARGS(map_operand(p, a, f->tile_m), map_operand(p, b, f->tile_n / f->cluster_m),
                f->tensor_store ? map_result(p) : kz_arg_buffer(C), kz_arg_u64(gemm_types_axis(p->c, M)),
                kz_arg_u64(gemm_types_axis(p->c, N)), kz_arg_u64(gemm_types_axis(p->c, K)),
                kz_arg_u64(GEMM_TYPES_GROUP / f->cluster_m), kz_arg_buffer(SCALE_A), kz_arg_buffer(SCALE_B)));
}

// ---- 02, 03: what needs no copy ------------------------------------------------------------------------------

static kz_status plan_rung(const kz_planner *p, const frame *f) {
    const gemm_types_format *format = gemm_types_format_of(p->c);
    bool done = false;
    kz_status status = plan_empty(p, &done);
    if (!status) status = refuse(p);
    if (status || done) return status;
    if (p->c->operation % ORDERS != KZ_GEMM_TYPES_NT || format->parts > 1)
        return kz_plan_refuse(p->error,
                              "tensor cores take a and b in order nt, as one part; 04 repacks them");
    if (!gemm_whole_units(p->c->misalign, format->in) || !gemm_whole_units(p->c->misalign, format->out) ||
        !gemm_whole_units(gemm_types_axis(p->c, K), format->in) ||
        !gemm_whole_units(gemm_types_axis(p->c, N), format->out))
        return kz_plan_refuse(p->error,
                              "tensor maps need rows that begin at multiples of 16 bytes; 04 pads them");
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    return launch_frame(p, f, &a, &b);
}

static const frame large = {
    "large", GEMM_TYPES_TILE_M, GEMM_TYPES_TILE_N, GEMM_TYPES_STAGES, 2, GEMM_TYPES_CLUSTER, 1, true, 100};

// Promoted sums leave registers for half the columns.
static frame fit_registers(const kz_planner *p, frame f) {
    if (gemm_types_format_of(p->c)->promoted && f.tile_n == GEMM_TYPES_TILE_N)
        f.tile_n = GEMM_TYPES_PROMOTED_N, f.stages = GEMM_TYPES_PROMOTED_STAGES;
    return f;
}

kz_status gemm_types_plan_cluster(const kz_planner *p) {
    frame f = fit_registers(p, large);
    f.part = NULL;
    return plan_rung(p, &f);
}

kz_status gemm_types_plan_ping_pong(const kz_planner *p) {
    if (gemm_types_format_of(p->c)->promoted)
        return kz_plan_refuse(p->error,
                              "promoted sums of 128 x 128 take more registers than a warpgroup has");
    return plan_rung(p, &(frame){NULL, GEMM_TYPES_PING_PONG_TILE, GEMM_TYPES_PING_PONG_TILE,
                                 GEMM_TYPES_PING_PONG_STAGES, 2, GEMM_TYPES_CLUSTER, 1, true});
}

// ---- 04: every shape and order --------------------------------------------------------------------------------

// As two tf32 each; `huge` is a word of the workspace.
static kz_status split(const kz_planner *p, operand *o, kz_arg from, bool mn, kz_arg huge) {
    uint64_t k = gemm_types_axis(p->c, K);
    o->parts = 2;
    o->pitch = kz_ceil_div(k, 4) * 4;
    o->at = gemm_reserve(p, o->parts * o->rows * o->pitch * sizeof(float));
    uint64_t tiles = kz_ceil_div(o->rows, GEMM_TYPES_SPLIT_TILE) * kz_ceil_div(k, GEMM_TYPES_SPLIT_TILE);
    return KZ_LAUNCH(
        p, .entry = "gemm_types_any_shape_parts", .blocks = tiles, .threads = GEMM_TYPES_SPLIT_THREADS,
        KZ_ARGS(from, o->at, kz_arg_u64(o->rows), kz_arg_u64(k), kz_arg_u64(o->pitch), kz_arg_u64(mn), huge));
}

// K-major rows of whole units: a copy in the workspace where the operand is not that already.
static kz_status repack(const kz_planner *p, operand *o, bool mn) {
    kz_type in = gemm_types_format_of(p->c)->in;
    uint64_t k = gemm_types_axis(p->c, K), bytes = kz_type_size(in), unit = 16 / bytes;
    if (!mn && gemm_whole_units(k, in) && gemm_whole_units(p->c->misalign, in)) return KZ_OK;
    kz_arg from = o->at;
    o->pitch = kz_ceil_div(k, unit) * unit;
    o->at = gemm_reserve(p, o->rows * o->pitch * bytes);
    if (!mn)
        return KZ_LAUNCH(
            p, .entry = "gemm_types_any_shape_pad", .blocks = kz_min_u64(o->rows, 65536), .threads = 256,
            KZ_ARGS(from, o->at, kz_arg_u64(o->rows), kz_arg_u64(k * bytes), kz_arg_u64(o->pitch * bytes)));
    uint64_t side = GEMM_TYPES_TRANSPOSE_CHUNKS * unit;
    return KZ_LAUNCH(
        p, .entry = bytes == 1 ? "gemm_types_any_shape_transpose_1" : "gemm_types_any_shape_transpose_4",
        .blocks = kz_ceil_div(k, side) * kz_ceil_div(o->rows, side), .threads = GEMM_TYPES_TRANSPOSE_THREADS,
        .shared_bytes = (uint32_t)(side * side * bytes),
        KZ_ARGS(from, o->at, kz_arg_u64(o->rows), kz_arg_u64(k), kz_arg_u64(o->pitch)));
}

// What the multiprocessor that has most to do does, in elements of c over all of k.
static uint64_t cost(const kz_planner *p, const frame *f) {
    uint64_t rounds = kz_ceil_div(count_clusters(p, f), clusters_at_once(p, f));
    return rounds * f->tile_m * f->tile_n * f->percent / f->cluster_k;
}

static const frame narrow = {"narrow", 64, 128,  GEMM_TYPES_NARROW_STAGES, 1,
                             1,        1,  true, GEMM_TYPES_NARROW_PERCENT};
// Blocks of a cluster share k. Their sums meet in shared memory, as floats.
static const frame shared[] = {
    {"pair", 64, 128, GEMM_TYPES_NARROW_STAGES, 1, 1, GEMM_TYPES_PAIR, false, GEMM_TYPES_PAIR_PERCENT},
    {"split", 64, 64, GEMM_TYPES_SPLIT_STAGES, 1, 1, GEMM_TYPES_SPLIT, false, GEMM_TYPES_SPLIT_PERCENT},
};

static bool can_share(const kz_case *c, const frame *f) {
    const gemm_types_format *format = gemm_types_format_of(c);
    uint64_t chunks = kz_ceil_div(gemm_types_axis(c, K) * kz_type_size(format->in), KZ_GEMM_CHUNK) *
                      (uint64_t)format->parts;
    return format->element != GEMM_INT8 && chunks >= (uint64_t)f->cluster_k * GEMM_TYPES_LEAST_CHUNKS;
}

static frame choose(const kz_planner *p) {
    kz_type out = gemm_types_format_of(p->c)->out;
    frame best = fit_registers(p, large);
    if (cost(p, &narrow) < cost(p, &best)) best = narrow;
    if (!gemm_whole_units(gemm_types_axis(p->c, N), out) || !gemm_whole_units(p->c->misalign, out)) {
        best.part = best.tile_m == 64 ? "narrow_direct" : "large_direct";
        best.tensor_store = false;
    }
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (can_share(p->c, &shared[i]) && cost(p, &shared[i]) < cost(p, &best)) best = shared[i];
    return best;
}

static kz_status plan_parts(const kz_planner *p, operand *a, operand *b) {
    kz_arg huge = gemm_reserve(p, sizeof(uint32_t));
    kz_plan_add_fill(p->plan, huge, 0, sizeof(uint32_t));
    kz_status status = split(p, a, a->at, gemm_types_a_mn(p->c), huge);
    if (!status) status = split(p, b, b->at, gemm_types_b_mn(p->c), huge);
    frame f = choose(p);
    if (!status) status = launch_frame(p, &f, a, b);
    if (status) return status;
    return KZ_LAUNCH(p, .entry = "gemm_types_any_shape_repair",
                     .blocks = (uint64_t)p->device->multiprocessors * 4, .threads = 256,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C),
                             kz_arg_u64(gemm_types_axis(p->c, M)), kz_arg_u64(gemm_types_axis(p->c, N)),
                             kz_arg_u64(gemm_types_axis(p->c, K)), kz_arg_u64(p->c->operation % ORDERS),
                             huge));
}

kz_status gemm_types_plan_any_shape(const kz_planner *p) {
    operand a = operand_of(p->c, A), b = operand_of(p->c, B);
    bool done = false;
    kz_status status = plan_empty(p, &done);
    if (!status) status = refuse(p);
    if (status || done) return status;
    if (gemm_types_format_of(p->c)->parts > 1) return plan_parts(p, &a, &b);
    status = repack(p, &a, gemm_types_a_mn(p->c));
    if (!status) status = repack(p, &b, gemm_types_b_mn(p->c));
    frame f = choose(p);
    return status ? status : launch_frame(p, &f, &a, &b);
}

// ---- 06: promotion with two sets of sums ----------------------------------------------------------------------------

// 04's tiles, for operands and a c that need no copy.
kz_status gemm_types_plan_two_sets(const kz_planner *p) {
    const gemm_types_format *format = gemm_types_format_of(p->c);
    if (!format->promoted)
        return kz_plan_refuse(p->error, "sums of %s are not promoted; 02 to 04 multiply it", format->name);
    frame f = choose(p);
    return plan_rung(p, &f);
}

// ---- doubles ------------------------------------------------------------------------------------------------

kz_status gemm_types_plan_mma(const kz_planner *p) {
    static const char *const orders[ORDERS] = {"nn", "nt", "tn", "tt"};
    bool done = false;
    kz_status status = plan_empty(p, &done);
    if (status || done) return status;
    if (gemm_types_format_of(p->c)->element != GEMM_F64)
        return kz_plan_refuse(p->error, "this is for doubles; 02 to 04 multiply the rest by wgmma");
    uint64_t m = gemm_types_axis(p->c, M), n = gemm_types_axis(p->c, N), k = gemm_types_axis(p->c, K);
    return KZ_LAUNCH(p, .part = orders[p->c->operation % ORDERS],
                     .blocks = kz_ceil_div(m, GEMM_MMA_TILE) * kz_ceil_div(n, GEMM_MMA_TILE),
                     .threads = GEMM_MMA_THREADS,
                     .shared_bytes = GEMM_TYPES_MMA_STAGES * 2 * GEMM_MMA_CHUNK_BYTES,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C), kz_arg_u64(m),
                             kz_arg_u64(n), kz_arg_u64(k)));
}
