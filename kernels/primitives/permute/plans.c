// permute: the plans. A plan merges the axes, finds what kind of permutation is left, and does on the host
// all that is the same for every thread: strides, divisors (divide.h), the sizes of tiles and boxes.
#include "plans.h"

#include "divide.h"
#include "tune.h"

static permute_shape merged_shape(const kz_case *c) {
    permute_shape whole = permute_shape_of(c);
    return permute_merge(&whole);
}

// ---- 00 to 03: a thread per element ----------------------------------------------------------------------

// in, out, total; the output's axes 1 to 3, as they are or as divisors; the strides of its axes 0 to 3 in the
// input. Where the shape has fewer axes the first ones are 1.
static void element_args(const permute_shape *s, bool divisors, kz_arg args[10]) {
    args[0] = kz_arg_buffer(IN);
    args[1] = kz_arg_buffer(OUT);
    args[2] = kz_arg_u64(permute_elements(s));
    int missing = PERMUTE_AXES - s->rank;
    for (int i = 0; i < PERMUTE_AXES; i++) {
        int axis = i < missing ? -1 : s->order[i - missing];
        uint64_t n = axis < 0 ? 1 : s->n[axis];
        if (i > 0) args[2 + i] = kz_arg_u64(divisors ? divider_pack((uint32_t)n) : n);
        args[6 + i] = kz_arg_u64(axis < 0 ? 0 : s->in[axis]);
    }
}

kz_status permute_plan_native(const kz_planner *p) {
    permute_shape s = permute_shape_of(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    kz_arg args[10];
    element_args(&s, false, args);
    uint64_t rows = permute_elements(&s) / s.n[s.order[PERMUTE_AXES - 1]];
    return KZ_LAUNCH(p, .blocks = kz_min_u64(rows, (uint64_t)p->device->multiprocessors), .threads = 1,
                     .args = args, .arg_count = 10);
}

kz_status permute_plan_naive(const kz_planner *p) {
    permute_shape s = permute_shape_of(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    kz_arg args[10];
    element_args(&s, false, args);
    return KZ_LAUNCH(p, .blocks = kz_ceil_div(permute_elements(&s), PERMUTE_THREADS),
                     .threads = PERMUTE_THREADS, .args = args, .arg_count = 10);
}

static kz_status below_2_31(const kz_planner *p, uint64_t count, const char *what) {
    if (count <= INT32_MAX) return KZ_OK;
    return kz_plan_refuse(p->error, "%llu %s, and its indices are below 2^31", (unsigned long long)count,
                          what);
}

static kz_status plan_divided(const kz_planner *p, const permute_shape *s, bool has_rank) {
    uint64_t count = permute_elements(s);
    kz_status status = below_2_31(p, count, "elements");
    if (status || count == 0) return status;
    kz_arg args[11];
    element_args(s, true, args);
    args[10] = kz_arg_u64((uint64_t)s->rank);
    return KZ_LAUNCH(p, .blocks = kz_ceil_div(count, PERMUTE_THREADS), .threads = PERMUTE_THREADS,
                     .args = args, .arg_count = 10 + has_rank);
}

kz_status permute_plan_fast_division(const kz_planner *p) {
    permute_shape s = permute_shape_of(p->c);
    return plan_divided(p, &s, false);
}

kz_status permute_plan_merged_axes(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    return plan_divided(p, &s, true);
}

// ---- rows
// --------------------------------------------------------------------------------------------------

static bool keeps_rows(const permute_shape *s) { return s->order[s->rank - 1] == s->rank - 1; }

static kz_status add_rows(const kz_planner *p, const permute_shape *s) {
    int last = s->rank - 1, axes = last > 0 ? last : 1;
    uint64_t size = kz_type_size(p->c->type), bytes = s->n[last] * size, unit = 16;
    while (bytes % unit != 0) unit /= 2;
    uint64_t total = permute_elements(s) * size / unit, units = bytes / unit;
    kz_status status = below_2_31(p, total, "units");
    if (status) return status;
    uint64_t m[3] = {1, 1, 1},
             stride[3] = {0}; // of the output's axes but the last; the first ones may be missing
    for (int i = 0; i < last; i++) {
        m[3 - last + i] = s->n[s->order[i]];
        stride[3 - last + i] = s->in[s->order[i]] * size / unit;
    }
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OUT),
                     kz_arg_u64(total),
                     kz_arg_u64((uint64_t)axes),
                     kz_arg_u64(divider_pack((uint32_t)units)),
                     kz_arg_u64(divider_pack((uint32_t)m[1])),
                     kz_arg_u64(divider_pack((uint32_t)m[2])),
                     kz_arg_u64(stride[0]),
                     kz_arg_u64(stride[1]),
                     kz_arg_u64(stride[2]),
                     kz_arg_u64(size)};
    // The entry is the unit's, not the element's.
    char entry[KZ_ENTRY_NAME] = "permute_row_copy_permute_pack";
    if (unit < 16) kz_entry_name(entry, "permute", "row_copy", "permute", kz_type_of_size(unit));
    uint64_t blocks = kz_ceil_div(total, PERMUTE_ROWS_THREADS * PERMUTE_ROWS_FLIGHT);
    return KZ_LAUNCH(p, .entry = entry, .blocks = blocks, .threads = PERMUTE_ROWS_THREADS, .args = args,
                     .arg_count = sizeof args / sizeof args[0]);
}

kz_status permute_plan_row_copy(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    if (!keeps_rows(&s))
        return kz_plan_refuse(p->error, "rows that stay whole alone; 05_shared_tile moves the last axis");
    return add_rows(p, &s);
}

// ---- tiles
// -------------------------------------------------------------------------------------------------

// The axis that becomes the last one, and the one that was.
static uint64_t tile_rows(const permute_shape *s) { return s->n[s->order[s->rank - 1]]; }
static uint64_t tile_columns(const permute_shape *s) { return s->n[s->rank - 1]; }

static kz_status add_tiles(const kz_planner *p, const char *idea, const permute_shape *s, uint64_t side,
                           uint32_t threads, uint64_t shared) {
    int column = s->rank - 1, row = s->order[s->rank - 1];
    uint64_t n[2] = {1, 1}, in[2] = {0}, out[2] = {0}; // the batch axes, the inner one last
    int batches = s->rank - 2, found = 0;
    for (int axis = 0; axis < s->rank; axis++) {
        if (axis == column || axis == row) continue;
        int at = 2 - batches + found++;
        n[at] = s->n[axis], in[at] = s->in[axis], out[at] = s->out[axis];
    }
    if (s->n[row] > UINT32_MAX || s->n[column] > UINT32_MAX)
        return kz_plan_refuse(p->error, "an axis of more than 2^32 elements");
    uint64_t across = kz_ceil_div(s->n[column], side), down = kz_ceil_div(s->n[row], side);
    uint64_t blocks = across * down * n[0] * n[1];
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OUT),
                     kz_arg_u64(s->n[row] | s->n[column] << 32),
                     kz_arg_u64(s->in[row]),
                     kz_arg_u64(s->out[column]),
                     kz_arg_u64(divider_pack((uint32_t)across)),
                     kz_arg_u64(divider_pack((uint32_t)down)),
                     kz_arg_u64(divider_pack((uint32_t)n[1])),
                     kz_arg_u64(in[0]),
                     kz_arg_u64(in[1]),
                     kz_arg_u64(out[0]),
                     kz_arg_u64(out[1])};
    return KZ_LAUNCH(p, .idea = idea, .blocks = blocks, .threads = threads, .shared_bytes = (uint32_t)shared,
                     .args = args, .arg_count = sizeof args / sizeof args[0]);
}

static kz_status moves_rows(const kz_planner *p, const permute_shape *s) {
    if (!keeps_rows(s)) return KZ_OK;
    return kz_plan_refuse(p->error,
                          "the last axis stays, so there is nothing to transpose; 04_row_copy moves rows");
}

kz_status permute_plan_shared_tile(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    kz_status status = moves_rows(p, &s);
    return status ? status : add_tiles(p, NULL, &s, 32, 256, 0);
}

typedef struct tiling {
    uint32_t chunks, threads;
} tiling;
#define TILING(kind, size) [size] = {PERMUTE_##kind##_CHUNKS_##size, PERMUTE_##kind##_THREADS_##size}
static const tiling wide[9] = {TILING(WIDE, 1), TILING(WIDE, 2), TILING(WIDE, 4), TILING(WIDE, 8)};
static const tiling small[9] = {TILING(SMALL, 1), TILING(SMALL, 2), TILING(SMALL, 4), TILING(SMALL, 8)};

static kz_status add_packs(const kz_planner *p, const char *idea, const permute_shape *s,
                           const tiling tilings[9]) {
    uint64_t size = kz_type_size(p->c->type), side = tilings[size].chunks * 16 / size;
    return add_tiles(p, idea, s, side, tilings[size].threads, side * side * size);
}

kz_status permute_plan_wide_tile(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    kz_status status = moves_rows(p, &s);
    return status ? status : add_packs(p, "wide_tile", &s, wide);
}

// ---- boxes
// -------------------------------------------------------------------------------------------------

// The input's axis at a position of one side's order.
static int axis_at(const permute_shape *s, bool output, int position) {
    return output ? s->order[position] : position;
}

// The contiguous elements of a box on one side of memory; *next is the axis that would make them more, or -1.
static uint64_t piece(const permute_shape *s, const uint64_t *extent, bool output, int *next) {
    uint64_t length = 1;
    *next = -1;
    for (int p = s->rank - 1; p >= 0 && *next < 0; p--) {
        int axis = axis_at(s, output, p);
        length *= extent[axis];
        if (extent[axis] < s->n[axis]) *next = axis;
    }
    return length;
}

// Doubles the box along the side with the shorter piece until it has `most` elements, or the whole tensor.
static void grow_box(const permute_shape *s, uint64_t most, uint64_t extent[PERMUTE_AXES]) {
    uint64_t count = 1;
    for (int i = 0; i < s->rank; i++) extent[i] = 1;
    for (;;) {
        int in, out;
        bool shorter_out = piece(s, extent, true, &out) < piece(s, extent, false, &in);
        int axis = in < 0 || (shorter_out && out >= 0) ? out : in;
        if (axis < 0) return;
        uint64_t longer = kz_min_u64(extent[axis] * 2, s->n[axis]);
        if (count / extent[axis] * longer > most) return;
        count = count / extent[axis] * longer;
        extent[axis] = longer;
    }
}

static kz_status add_boxes(const kz_planner *p, const permute_shape *s) {
    uint64_t size = kz_type_size(p->c->type), extent[PERMUTE_AXES], blocks = 1;
    grow_box(s, PERMUTE_BOX_BYTES / size, extent);
    int missing = PERMUTE_AXES - s->rank;
    uint64_t n[2] = {0}, extents = 0, order = 0, counts[PERMUTE_AXES];
    for (int i = 0; i < PERMUTE_AXES; i++) {
        uint64_t length = i < missing ? 1 : s->n[i - missing], e = i < missing ? 1 : extent[i - missing];
        if (length > UINT32_MAX) return kz_plan_refuse(p->error, "an axis of more than 2^32 elements");
        n[i / 2] |= length << 32 * (i % 2);
        extents |= e << 16 * i;
        order |= (uint64_t)(i < missing ? i : s->order[i - missing] + missing) << 8 * i;
        counts[i] = kz_ceil_div(length, e);
        blocks *= counts[i];
    }
    // The crossed side is the one whose last axis gives whole packs.
    bool output_is_straight = extent[s->order[s->rank - 1]] % (16 / size) != 0;
    order |= (uint64_t)output_is_straight << 32;
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OUT),
                     kz_arg_u64(n[0]),
                     kz_arg_u64(n[1]),
                     kz_arg_u64(extents),
                     kz_arg_u64(order),
                     kz_arg_u64(divider_pack((uint32_t)counts[1])),
                     kz_arg_u64(divider_pack((uint32_t)counts[2])),
                     kz_arg_u64(divider_pack((uint32_t)counts[3]))};
    return KZ_LAUNCH(p, .idea = "tile_4d", .blocks = blocks, .threads = PERMUTE_BOX_THREADS,
                     .shared_bytes = PERMUTE_BOX_BYTES + PERMUTE_BOX_BYTES / 8, .args = args,
                     .arg_count = sizeof args / sizeof args[0]);
}

kz_status permute_plan_tile_4d(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    return add_boxes(p, &s);
}

// ---- channels
// ----------------------------------------------------------------------------------------------

// [batch][k][channels] to planes, or back: what is left after merging, and how many channels; 0 where it is
// not that.
typedef struct channel_shape {
    uint64_t batch, k;
    int channels;
    bool split;
} channel_shape;

static channel_shape find_channels(const kz_case *c, const permute_shape *s) {
    int last = s->rank - 1;
    if (s->rank < 2 || s->rank > 3 || s->order[last] != last - 1 || s->order[last - 1] != last)
        return (channel_shape){0};
    uint64_t pack = 16 / kz_type_size(c->type), batch = s->rank == 3 ? s->n[0] : 1;
    for (int split = 1; split >= 0; split--) {
        uint64_t channels = s->n[split ? last : last - 1], k = s->n[split ? last - 1 : last];
        if (channels >= 2 && channels <= 4 && k % pack == 0 && batch * (k / pack) <= INT32_MAX)
            return (channel_shape){batch, k, (int)channels, split};
    }
    return (channel_shape){0};
}

static kz_status add_channels(const kz_planner *p, const channel_shape *shape) {
    static const char *const ideas[2][5] = {{[2] = "join2", "join3", "join4"},
                                            {[2] = "split2", "split3", "split4"}};
    uint64_t per_batch = shape->k / (16 / kz_type_size(p->c->type)), groups = shape->batch * per_batch;
    return KZ_LAUNCH(p, .idea = ideas[shape->split][shape->channels],
                     .blocks = kz_ceil_div(groups, PERMUTE_CHANNELS_THREADS),
                     .threads = PERMUTE_CHANNELS_THREADS,
                     KZ_ARGS(kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(groups),
                             kz_arg_u64(divider_pack((uint32_t)per_batch))));
}

kz_status permute_plan_few_channels(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    if (permute_elements(&s) == 0) return KZ_OK;
    channel_shape shape = find_channels(p->c, &s);
    if (shape.channels == 0)
        return kz_plan_refuse(
            p->error, "2 to 4 channels to planes of whole packs or back alone; 07_tile_4d takes the rest");
    return add_channels(p, &shape);
}

// ---- 09: by shape
// --------------------------------------------------------------------------------------------

kz_status permute_plan_dispatch(const kz_planner *p) {
    permute_shape s = merged_shape(p->c);
    uint64_t size = kz_type_size(p->c->type), count = permute_elements(&s);
    if (count == 0) return KZ_OK;
    if (s.rank == 1) {
        kz_plan_add_copy(p->plan, 0, kz_arg_buffer(OUT), kz_arg_buffer(IN), count * size);
        return KZ_OK;
    }
    if (keeps_rows(&s))
        return s.n[s.rank - 1] * size >= PERMUTE_ROW_BYTES ? add_rows(p, &s) : add_boxes(p, &s);
    channel_shape channels = find_channels(p->c, &s);
    if (channels.channels) return add_channels(p, &channels);
    uint64_t shorter = kz_min_u64(tile_rows(&s), tile_columns(&s)) * size;
    if (shorter < PERMUTE_SMALL_BYTES) return add_boxes(p, &s);
    if (shorter < PERMUTE_WIDE_BYTES) return add_packs(p, "small", &s, small);
    return add_packs(p, "wide_tile", &s, wide);
}
