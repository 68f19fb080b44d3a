// gemm: the plans of 02 to 09, kernels of the frame kz/device/gemm.cuh.
//
// Operands come by tensor maps: strides are multiples of 16 bytes, and so are addresses. What is not so is copied to the
// workspace first, rows padded. c leaves by a tensor map too, or directly.
#include <string.h>

#include "gemm/frame_plan.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

#define GEMM_TILE(id, part, m, n, narrow, stages, consumers, cluster_m, cluster_n, cluster_k, ping_pong,     \
                  store, orders, chunk, besides)                                                             \
    [GEMM_##id] = {part,      m,         n,         narrow,        stages,          consumers,               \
                   cluster_m, cluster_n, cluster_k, STORE_##store, ORDERS_##orders, chunk,                   \
                   besides},
enum { STORE_DIRECT, STORE_EITHER, STORE_TRANSPOSED, STORE_TENSOR };
enum { ORDERS_ALL, ORDERS_WRITTEN, ORDERS_NT };
const gemm_tile gemm_tiles[] = {
#include "tiles.def"
};
#undef GEMM_TILE

// ---- operands ----------------------------------------------------------------------------------------

// An operand: `outer` rows of `inner` elements for each product; `rows` is m or n.
typedef struct operand {
    gemm_matrix matrix;
    uint64_t rows;
    kz_arg at;
    bool mn, shared; // contiguous along m or n, not along k; one for all products
} operand;

static operand operand_of(const gemm_spec *s, uint32_t buffer) {
    bool a = buffer == A, mn = a ? s->a_transposed : !s->b_transposed;
    operand made = {a ? s->a : s->b, a ? s->m : s->n, kz_arg_buffer(buffer), mn, false};
    made.shared = made.matrix.stride == 0 || s->count == 1;
    return made;
}

static bool whole_units(uint64_t elements, kz_type type) { return elements * kz_type_size(type) % 16 == 0; }

// A load reads 16 bytes where the tensor begins, whatever its size.
static bool suits_map(const gemm_spec *s, const gemm_matrix *matrix, kz_type type) {
    return s->alignment >= 16 && (matrix->rows == 1 ? matrix->columns >= 8 : whole_units(matrix->ld, type)) &&
           (s->count == 1 || whole_units(matrix->stride, type));
}
// A store writes whole pieces of 16 bytes, past the end of a row too.
static bool suits_store(const gemm_spec *s) {
    return suits_map(s, &s->c, s->out) && whole_units(s->n, s->out);
}
bool gemm_stores_by_map(const gemm_spec *s, const gemm_tile *t) {
    if (gemm_has_parts((gemm_tile_id)(t - gemm_tiles)))
        return t->store == STORE_TENSOR; // rows of parts are padded
    return (t->store == STORE_EITHER || t->store == STORE_TENSOR) && suits_store(s);
}

// How many matrices an operand has.
static uint64_t matrices(const gemm_spec *s, const operand *o) { return o->shared ? 1 : s->count; }

bool gemm_is_padded(const gemm_spec *s, bool a) {
    operand o = operand_of(s, a ? A : B);
    return !suits_map(s, &o.matrix, s->type);
}

static kz_status pad(const kz_planner *p, const gemm_spec *s, operand *o) {
    if (suits_map(s, &o->matrix, s->type)) return KZ_OK;
    gemm_matrix from = o->matrix;
    uint64_t count = matrices(s, o), padded = kz_ceil_div(from.columns, 8) * 8;
    kz_arg to = gemm_reserve(p, count * from.rows * padded * 2), source = o->at;
    o->matrix = (gemm_matrix){from.rows, from.columns, padded, o->shared ? 0 : from.rows * padded};
    o->at = to;
    return KZ_LAUNCH(p, .entry = "gemm_pad", .blocks = kz_min_u64(from.rows * count, 65536), .threads = 256,
                     KZ_ARGS(source, to, kz_arg_u64(from.rows), kz_arg_u64(from.columns), kz_arg_u64(from.ld),
                             kz_arg_u64(from.stride), kz_arg_u64(count), kz_arg_u64(padded)));
}

static kz_arg add_map(const kz_planner *p, kz_arg at, kz_type type, const gemm_matrix *matrix, uint64_t count,
                      uint32_t box, kz_tensor_promotion promotion) {
    uint64_t bytes = kz_type_size(type), row = kz_ceil_div(matrix->ld * bytes, 16) * 16;
    kz_tensor tensor = gemm_tensor(gemm_tensor_type(type), bytes, matrix->columns, matrix->rows, row, box);
    tensor.dims[2] = count;
    if (count > 1) tensor.strides[2] = matrix->stride * bytes;
    tensor.promotion = promotion;
    return kz_plan_add_map(p->plan, at, &tensor);
}
static kz_arg map_operand(const kz_planner *p, const gemm_spec *s, const operand *o, uint32_t box) {
    return add_map(p, o->at, s->type, &o->matrix, matrices(s, o), o->mn ? 64 : box, KZ_TENSOR_PROMOTION_128B);
}

// ---- what the frame does not do --------------------------------------------------------------------------

enum { MOST_STRIDE = 39 }; // bits of a tensor map's strides, in bytes

static kz_status refuse_matrix(const kz_planner *p, const char *name, const gemm_matrix *matrix,
                               kz_type type) {
    double most = (double)(UINT64_C(1) << MOST_STRIDE), size = (double)kz_type_size(type);
    if (matrix->rows <= INT32_MAX && matrix->columns <= INT32_MAX && (double)matrix->ld * size < most &&
        (double)matrix->stride * size < most)
        return KZ_OK;
    return kz_plan_refuse(p->error, "%s is larger than the coordinates and strides of a tensor map", name);
}

static kz_status refuse(const kz_planner *p, const gemm_spec *s) {
    if (s->type != KZ_F16 && s->type != KZ_BF16)
        return kz_plan_refuse(p->error, "wgmma has no %s: 01_universal multiplies it", kz_type_name(s->type));
    if (s->form == KZ_GEMM_POINTERS)
        return kz_plan_refuse(p->error,
                              "tensor maps are made before the launch, and addresses are known on the device "
                              "alone: 01_universal follows them");
    if (s->k == 0)
        return kz_plan_refuse(p->error,
                              "there is nothing to multiply (k or alpha is 0): 01_universal scales c");
    kz_status status = refuse_matrix(p, "a", &s->a, s->type);
    if (!status) status = refuse_matrix(p, "b", &s->b, s->type);
    if (!status) status = refuse_matrix(p, "c", &s->c, s->out);
    return status;
}

// ---- tiles -----------------------------------------------------------------------------------------------

uint64_t gemm_cluster_blocks(const gemm_tile *t) {
    return (uint64_t)t->cluster_m * t->cluster_n * t->cluster_k;
}

// Clusters that all products need; of groups, at most.
uint64_t gemm_count_clusters(const gemm_tile *t, const gemm_spec *s, bool swapped) {
    uint64_t rows = swapped ? s->n : s->m, columns = swapped ? s->m : s->n;
    uint64_t down = kz_ceil_div(rows, (uint64_t)t->tile_m * t->cluster_m),
             across = kz_ceil_div(columns, (uint64_t)t->tile_n * t->cluster_n);
    return s->form == KZ_GEMM_GROUPED ? (down + s->count) * across : down * across * s->count;
}

gemm_widths gemm_widths_of(const gemm_tile *t, const gemm_spec *s, uint64_t multiprocessors) {
    return gemm_choose_widths(kz_ceil_div(s->m, t->tile_m) * s->count, s->n, t->tile_n, t->narrow_n,
                              multiprocessors);
}

// 07: tiles that fill no round, and those of one full round with them, are shared out; where there are less than a round,
// all, as long as each cluster gets a few chunks.
uint64_t gemm_split_tiles(const gemm_spec *s, uint64_t multiprocessors) {
    const gemm_tile *t = &gemm_tiles[GEMM_STREAM];
    uint64_t tiles = gemm_count_clusters(t, s, false), chunks = kz_ceil_div(s->k, GEMM_CHUNK_K);
    uint64_t workers = multiprocessors / gemm_cluster_blocks(t), shared = tiles % workers;
    if (tiles > workers && shared > 0) shared += workers;
    return shared * chunks < workers * GEMM_LEAST_CHUNKS ? 0 : shared;
}

gemm_tile_id gemm_tile_of(const kz_variant *variant, const gemm_spec *s) {
    gemm_tile_id id = (gemm_tile_id)variant->tile;
    if (id == GEMM_ROWS_16 && (s->m > 16 || s->a_transposed)) return GEMM_ROWS_64;
    if (id == GEMM_K_PARTS_16 && (s->m > 16 || s->a_transposed)) return GEMM_K_PARTS_64;
    if (id == GEMM_ODD_16 && s->m > 16) return GEMM_ODD_64;
    if (id == GEMM_GROUP_LARGE && s->m < s->count * GEMM_GROUP_ROWS) return GEMM_GROUP_NARROW;
    return id;
}

static bool is_grouped(gemm_tile_id id) { return id == GEMM_GROUP_LARGE || id == GEMM_GROUP_NARROW; }
bool gemm_is_swapped(gemm_tile_id id) {
    return id == GEMM_ROWS_16 || id == GEMM_ROWS_64 || id == GEMM_K_PARTS_16 || id == GEMM_K_PARTS_64 ||
           id == GEMM_ODD_16 || id == GEMM_ODD_64;
}

static kz_status refuse_tile(const kz_planner *p, const gemm_spec *s, gemm_tile_id id) {
    if (is_grouped(id) != (s->form == KZ_GEMM_GROUPED))
        return kz_plan_refuse(p->error, is_grouped(id) ? "for groups alone" : "09_grouped multiplies groups");
    if (is_grouped(id) && s->a_transposed)
        return kz_plan_refuse(p->error,
                              "groups are rows of an a that lies as written: 01_universal takes the other");
    if (gemm_is_swapped(id) && s->m > GEMM_FEW_ROWS)
        return kz_plan_refuse(p->error, "for up to %d rows of a", GEMM_FEW_ROWS);
    uint32_t orders = gemm_tiles[id].orders;
    if (orders != ORDERS_ALL && (s->a_transposed || (s->out != s->type && !gemm_has_parts(id))))
        return kz_plan_refuse(p->error, "for an a that lies as written, and c of its type");
    if (gemm_has_parts(id) && (s->count > 1 || (gemm_is_swapped(id) && s->a_transposed)))
        return kz_plan_refuse(p->error, "for one product; of few rows, for an a that lies as written");
    if (gemm_tiles[id].store == STORE_TENSOR && !gemm_has_parts(id) && (s->beta != 0.0 || !suits_store(s)))
        return kz_plan_refuse(p->error,
                              "c is written by a tensor map alone: no beta, rows of whole 16 bytes");
    if (orders == ORDERS_NT && !s->b_transposed) return kz_plan_refuse(p->error, "for a transposed b alone");
    uint32_t parts = gemm_tiles[id].cluster_k;
    if (parts > 1 && kz_ceil_div(s->k, GEMM_CHUNK_K) < parts * GEMM_LEAST_CHUNKS)
        return kz_plan_refuse(p->error, "k is too short to be divided among %u blocks", parts);
    if (gemm_count_clusters(&gemm_tiles[id], s, gemm_is_swapped(id)) > INT32_MAX / 8)
        return kz_plan_refuse(p->error, "there are more tiles than a kernel counts");
    return KZ_OK;
}

// ---- the launch ------------------------------------------------------------------------------------------

// Clusters that blocks walk down before they go to the next column: what is in flight has about as many rows as columns.
static uint64_t gemm_group(const gemm_tile *t) {
    uint64_t rows = (uint64_t)t->tile_m * t->cluster_m;
    return rows < GEMM_GROUP_HEIGHT ? GEMM_GROUP_HEIGHT / rows : 1;
}

static kz_arg float_arg(double value) { return kz_arg_f32((float)value); }

// The clusters of a launch, and what it shares out.
typedef struct grid {
    uint64_t clusters, at_once;
    uint64_t split;     // tiles that are cut along k
    uint64_t parts;     // of k, where blocks have one each
    gemm_widths widths; // columns of tiles, where there are two widths
} grid;

static grid grid_of(const kz_planner *p, const gemm_spec *s, gemm_tile_id id) {
    const gemm_tile *t = &gemm_tiles[id];
    uint64_t multiprocessors = (uint64_t)p->device->multiprocessors;
    grid g = {
        gemm_count_clusters(t, s, gemm_is_swapped(id)), multiprocessors / gemm_cluster_blocks(t), 0, 1, {0}};
    if (id == GEMM_STREAM) g.split = gemm_split_tiles(s, multiprocessors);
    if (t->narrow_n > 0) {
        g.widths = gemm_widths_of(t, s, g.at_once);
        g.clusters = kz_ceil_div(s->m, t->tile_m) * (g.widths.wide + g.widths.narrow) * s->count;
    }
    if (gemm_has_parts(id)) {
        g.parts = gemm_count_parts(t, g.clusters, s, multiprocessors);
        g.clusters *= g.parts;
    }
    if (g.split > 0 || (t->cluster_k == 1 && g.clusters > g.at_once)) g.clusters = g.at_once;
    return g;
}

static kz_arg take_partials(const kz_planner *p, const gemm_tile *t, const grid *g) {
    kz_arg at = kz_arg_workspace(p->plan->workspace_bytes);
    p->plan->workspace_bytes += g->at_once * gemm_cluster_blocks(t) * t->tile_m * t->tile_n * sizeof(float);
    return at;
}

// Where the kernel's sums go: to c, or as parts of it to the workspace.
typedef struct target {
    kz_arg at;
    kz_type type;
    gemm_matrix matrix;
    uint64_t count;
} target;

static target target_of(const kz_planner *p, const gemm_spec *s, gemm_tile_id id, const grid *g) {
    bool grouped = s->form == KZ_GEMM_GROUPED;
    if (!gemm_has_parts(id)) return (target){kz_arg_buffer(C), s->out, s->c, grouped ? 1 : s->count};
    uint64_t pitch = gemm_parts_pitch(s), each = s->m * pitch;
    kz_arg at = kz_arg_workspace(p->plan->workspace_bytes);
    p->plan->workspace_bytes += kz_ceil_div(g->parts * each * sizeof(float), 256) * 256;
    return (target){at, KZ_F32, {s->m, pitch, pitch, each}, g->parts};
}

// The tensor map of two widths, and how many columns of tiles have which.
static kz_status add_widths(const kz_planner *p, const gemm_spec *s, const gemm_tile *t, const operand *b,
                            const gemm_widths *widths) {
    kz_step *step = &p->plan->steps[p->plan->step_count - 1];
    step->args[step->arg_count++] = map_operand(p, s, b, t->narrow_n);
    step->args[step->arg_count++] = kz_arg_u64(widths->wide);
    step->args[step->arg_count++] = kz_arg_u64(widths->narrow);
    return KZ_OK;
}

static kz_status add_parts(const kz_planner *p, const gemm_spec *s, const target *parts) {
    static const char *const entries[] = {"gemm_add_parts_f32", "gemm_add_parts_f16", "gemm_add_parts_bf16"};
    uint64_t threads = s->m * (parts->matrix.ld / 4);
    return KZ_LAUNCH(
        p,
        .entry = entries[s->out == KZ_F32   ? 0
                         : s->out == KZ_F16 ? 1
                                            : 2],
        .blocks = kz_ceil_div(threads, GEMM_PARTS_THREADS), .threads = GEMM_PARTS_THREADS, .overlap = true,
        KZ_ARGS(parts->at, kz_arg_buffer(C), kz_arg_u64(s->m), kz_arg_u64(s->n), kz_arg_u64(parts->matrix.ld),
                kz_arg_u64(parts->matrix.stride), kz_arg_u64(parts->count), kz_arg_u64(s->c.ld),
                float_arg(s->alpha), float_arg(s->beta)));
}

// Kernels of parts are named for the order alone, whatever c is.
static const char *order_of(const gemm_spec *s) {
    static const char *const orders[ORDERS] = {"nn", "nt", "tn", "tt"};
    return orders[(s->a_transposed ? 2 : 0) + (s->b_transposed ? 1 : 0)];
}

static kz_status launch(const kz_planner *p, const gemm_spec *s, gemm_tile_id id, const operand *a,
                        const operand *b) {
    const gemm_tile *t = &gemm_tiles[id];
    grid g = grid_of(p, s, id);
    if (gemm_has_parts(id) && g.parts == 1)
        return kz_plan_refuse(p->error, "k is too short to be divided among blocks");
    target to = target_of(p, s, id, &g);
    uint64_t blocks = gemm_cluster_blocks(t);
    bool grouped = s->form == KZ_GEMM_GROUPED;
    bool buffered = t->store == STORE_EITHER || t->store == STORE_TENSOR, tensor = gemm_stores_by_map(s, t);
    kz_arg first = map_operand(p, s, a, t->tile_m / t->cluster_n),
           second = map_operand(p, s, b, t->tile_n / t->cluster_m);
    kz_arg result = tensor ? add_map(p, to.at, to.type, &to.matrix, to.count, 64, KZ_TENSOR_PROMOTION_NONE)
                           : first; // which nobody uses
    kz_arg extra = grouped ? kz_arg_buffer(OFFSETS) : g.split > 0 ? take_partials(p, t, &g) : kz_arg_u64(0);
    uint64_t flags =
        (tensor ? GEMM_TENSOR_STORE : 0) | (a->shared ? GEMM_A_SHARED : 0) | (b->shared ? GEMM_B_SHARED : 0);
    kz_status status = KZ_LAUNCH(
        p, .part = t->part, .operation = gemm_has_parts(id) ? order_of(s) : NULL,
        .blocks = g.clusters * blocks, .threads = KZ_GEMM_THREADS(t->consumers),
        .cluster = blocks > 1 ? (uint32_t)blocks : 0, .overlap = true,
        .shared_bytes =
            (uint32_t)KZ_GEMM_SHARED_BYTES(t->tile_m, t->tile_n, t->stages, t->consumers, buffered),
        KZ_ARGS(first, second, result, to.at, kz_arg_u64(a->rows), kz_arg_u64(b->rows), kz_arg_u64(s->k),
                kz_arg_u64(to.matrix.ld), kz_arg_u64(grouped ? 0 : to.matrix.stride),
                kz_arg_u64(grouped ? s->count : to.count), kz_arg_u64(gemm_group(t)), kz_arg_u64(flags),
                float_arg(s->alpha), float_arg(s->beta), kz_arg_u64(g.split), extra));
    if (status) return status;
    if (t->narrow_n > 0) return add_widths(p, s, t, b, &g.widths);
    return gemm_has_parts(id) ? add_parts(p, s, &to) : KZ_OK;
}

// 24 and 25: the operands as they lie.
static kz_status launch_odd(const kz_planner *p, const gemm_spec *s, gemm_tile_id id, const operand *a,
                            const operand *b) {
    const gemm_tile *t = &gemm_tiles[id];
    if (s->alignment < 16)
        return kz_plan_refuse(p->error,
                              "a and b must begin at multiples of 16 bytes, whatever their rows do");
    grid g = grid_of(p, s, id);
    target to = target_of(p, s, id, &g);
    kz_status status = KZ_LAUNCH(
        p, .part = t->part, .operation = order_of(s), .blocks = g.clusters,
        .threads = KZ_GEMM_THREADS(t->consumers), .overlap = true,
        .shared_bytes = (uint32_t)KZ_GEMM_ODD_SHARED_BYTES(t->tile_m, t->tile_n, t->stages, t->consumers,
                                                           GEMM_ODD_RAW_STAGES(id == GEMM_ODD)),
        KZ_ARGS(a->at, b->at, to.at, kz_arg_u64(a->rows), kz_arg_u64(b->rows), kz_arg_u64(s->k),
                kz_arg_u64(a->matrix.ld), kz_arg_u64(b->matrix.ld), kz_arg_u64(gemm_elements(s, &a->matrix)),
                kz_arg_u64(gemm_elements(s, &b->matrix)), kz_arg_u64(to.matrix.ld),
                kz_arg_u64(to.matrix.stride), kz_arg_u64(g.parts), kz_arg_u64(gemm_group(t))));
    return status ? status : add_parts(p, s, &to);
}

kz_status gemm_plan_frame(const kz_planner *p) {
    gemm_spec s = gemm_spec_of(p->c);
    gemm_tile_id id = gemm_tile_of(p->variant, &s);
    kz_status status = refuse_tile(p, &s, id);
    if (status || gemm_is_empty(&s)) return status;
    status = refuse(p, &s);
    if (status) return status;
    operand a = operand_of(&s, A), b = operand_of(&s, B);
    if (gemm_is_odd(id))
        return gemm_is_swapped(id) ? launch_odd(p, &s, id, &b, &a) : launch_odd(p, &s, id, &a, &b);
    status = pad(p, &s, &a);
    if (!status) status = pad(p, &s, &b);
    if (status) return status;
    return gemm_is_swapped(id) ? launch(p, &s, id, &b, &a) : launch(p, &s, id, &a, &b);
}
