// reduce_axis: the middle axis of outer x n x inner folded away. Cases, work, plans and the table of
// variants.
//
// Axes: outer, n, inner. Buffers: in of outer x n x inner elements, out of outer x inner, and as many indices
// for argmin and argmax.
#include "reduce_axis.h"

#include <string.h>

#include "private.h"
#include "tune.h"

static uint64_t segments(const kz_case *c) { return (uint64_t)(c->axes[OUTER] * c->axes[INNER]); }
static uint64_t row_bytes(const kz_case *c) { return (uint64_t)c->axes[N] * kz_type_size(c->type); }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, segments(c) * (uint64_t)c->axes[N]};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, segments(c)};
    if (!reduce_finds(c)) return 2;
    list[INDEX] = (kz_buffer){"index", KZ_OUTPUT, KZ_I64, segments(c)};
    return 3;
}

static kz_work work(const kz_case *c) {
    double results = (double)c->axes[OUTER] * (double)c->axes[INNER], n = (double)c->axes[N],
           index = reduce_finds(c) ? 8.0 : 0.0;
    return (kz_work){.bytes = results * ((n + 1.0) * (double)kz_type_size(c->type) + index),
                     .flops = results * n};
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    return reduce_supported("reduce_axis", p->c->operation, p->c->type, p->error);
}

// Those that the ladder is told with: 01 and the last two have the others as well.
static kz_status told(const kz_planner *p) {
    bool finds = reduce_finds(p->c);
    kz_status status = supported(p);
    if (status != KZ_OK || (p->c->operation != KZ_REDUCE_MIN && !finds)) return status;
    return kz_plan_refuse(p->error, "no %s here: 01_thread and %s do it", reduce_operations[p->c->operation],
                          finds ? "08_value_then_index" : "07_dispatch");
}

// A launch; what finds takes the indices' buffer as its last argument.
static kz_status add(const kz_planner *p, kz_plan_launch launch) {
    kz_arg args[KZ_PLAN_ARGS];
    memcpy(args, launch.args, launch.arg_count * sizeof *args);
    if (reduce_finds(p->c)) args[launch.arg_count++] = kz_arg_buffer(INDEX);
    launch.args = args;
    return kz_plan_add_launch(p, &launch);
}

// A launch of (in, out, segments, n, last) where `threads` threads take each segment.
static kz_status add_each(const kz_planner *p, uint64_t threads, uint64_t last) {
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_BLOCKS * 4;
    uint64_t blocks = kz_min_u64(kz_ceil_div(segments(p->c) * threads, REDUCE_AXIS_THREADS), full);
    return add(p, (kz_plan_launch){.blocks = blocks,
                                   .threads = REDUCE_AXIS_THREADS,
                                   KZ_ARGS(kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(segments(p->c)),
                                           kz_arg_u64((uint64_t)p->c->axes[N]), kz_arg_u64(last))});
}

static kz_status plan_native(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    return add(
        p, (kz_plan_launch){.blocks = kz_min_u64(segments(c), (uint64_t)p->device->multiprocessors),
                            .threads = 1,
                            KZ_ARGS(kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(segments(c)),
                                    kz_arg_u64((uint64_t)c->axes[N]), kz_arg_u64((uint64_t)c->axes[INNER]))});
}

static kz_status plan_thread(const kz_planner *p) {
    kz_status status = supported(p);
    return status ? status : add_each(p, 1, (uint64_t)p->c->axes[INNER]);
}

// As many threads for each segment as the row says.
static kz_status plan_each(const kz_planner *p) {
    kz_status status = told(p);
    return status ? status : add_each(p, p->variant->threads, (uint64_t)p->c->axes[INNER]);
}

static kz_status rows_alone(const kz_planner *p) {
    kz_status status = told(p);
    if (status != KZ_OK || p->c->axes[INNER] <= 1) return status;
    return kz_plan_refuse(p->error,
                          "rows alone: inner is %lld, not 1; 05_columns and 07_dispatch take columns",
                          (long long)p->c->axes[INNER]);
}

// The least power of two lanes that holds `count`, 32 at most.
static uint64_t lanes_for(uint64_t count) {
    uint64_t lanes = 1;
    while (lanes < count && lanes < 32) lanes *= 2;
    return lanes;
}

// Packs that a row touches, at most, where the input begins with one.
static uint64_t row_packs(const kz_case *c) {
    uint64_t size = kz_type_size(c->type), bytes = row_bytes(c);
    return bytes % 16 == 0 ? bytes / 16 : (bytes - size + 15) / 16 + 1;
}

static kz_status plan_lane_group(const kz_planner *p) {
    kz_status status = rows_alone(p);
    if (status != KZ_OK) return status;
    bool packs = row_bytes(p->c) % 16 == 0;
    uint64_t lanes = lanes_for(packs ? row_bytes(p->c) / 16 : (uint64_t)p->c->axes[N]);
    return add_each(p, lanes, lanes);
}

// Pieces that n is cut into so that `units` blocks for whole segments become enough to fill the GPU; each
// piece has at least `least` elements.
static uint64_t pieces_of(const kz_planner *p, uint64_t units, uint64_t least) {
    uint64_t wanted = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_SPLIT_BLOCKS;
    uint64_t most = kz_min_u64((uint64_t)p->c->axes[N] / least, REDUCE_AXIS_PIECES);
    if (units * 2 > wanted || most < 2) return 1;
    return kz_min_u64(kz_ceil_div(wanted, units), most);
}

// The second stage, where there is one: 32 neighbouring results for a block, fewer where those are few and their pieces
// many.
static kz_status add_gather(const kz_planner *p, uint64_t pieces) {
    const kz_case *c = p->c;
    if (pieces == 1) return KZ_OK;
    uint64_t width = 32, enough = (uint64_t)p->device->multiprocessors;
    while (width > 1 && segments(c) < enough * width && pieces > REDUCE_AXIS_THREADS / width) width /= 2;
    kz_arg args[] = {kz_arg_workspace(0),
                     kz_arg_buffer(OUT),
                     kz_arg_u64(segments(c)),
                     kz_arg_u64(pieces),
                     kz_arg_u64((uint64_t)c->axes[N]),
                     kz_arg_u64(width)};
    return add(p, (kz_plan_launch){.idea = "gather",
                                   .blocks = kz_ceil_div(segments(c), width),
                                   .threads = REDUCE_AXIS_THREADS,
                                   .args = args,
                                   .arg_count = 6});
}

static uint64_t partial_bytes(const kz_case *c, uint64_t pieces) {
    uint64_t wide = c->type == KZ_F64 ? sizeof(double) : sizeof(float), index = reduce_finds(c) ? 8 : 0;
    return pieces == 1 ? 0 : pieces * segments(c) * (wide + index);
}

// How many rows together begin with packs again: of one matrix, whose rows are many.
static uint64_t rows_together(const kz_case *c, uint64_t pack) {
    uint64_t inner = (uint64_t)c->axes[INNER], rows = 1;
    while (inner * rows % pack != 0) rows *= 2;
    return c->axes[OUTER] == 1 && (uint64_t)c->axes[N] >= REDUCE_AXIS_ROWS * pack ? rows : 1;
}

// The part of the places for blocks that `blocks` fill while they run, wave after wave.
static double filled(uint64_t blocks, uint64_t room) {
    return (double)blocks / (double)(kz_ceil_div(blocks, room) * room);
}

// Pieces of columns, each of `least` rows: as many as have room on the GPU at once. A few blocks more would take twice as
// long; several waves of them are better only where one leaves much of the GPU idle.
static uint64_t column_pieces(const kz_planner *p, uint64_t units, uint64_t least) {
    uint64_t room = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_COLUMN_BLOCKS;
    uint64_t most = kz_min_u64((uint64_t)p->c->axes[N] / least, REDUCE_AXIS_PIECES);
    if (most < 2 || units > 2 * room) return 1;
    uint64_t best = units < room ? kz_min_u64(room / units, most) : 1;
    for (uint64_t pieces = best + 1; pieces <= most && units * pieces <= 4 * room; pieces++)
        if (filled(units * pieces, room) > 1.15 * filled(units * best, room)) best = pieces;
    return best;
}

// `wide`: a pack of columns is loaded at once where packs divide a row, or several rows together.
static kz_status add_columns(const kz_planner *p, const char *idea, bool wide, bool together) {
    const kz_case *c = p->c;
    uint64_t outer = (uint64_t)c->axes[OUTER], inner = (uint64_t)c->axes[INNER];
    uint64_t pack = 16 / kz_type_size(c->type), one = together ? rows_together(c, pack) : 1;
    if (!wide || inner * one % pack != 0) pack = 1;
    uint64_t width = lanes_for(inner), across = kz_ceil_div(inner * one, pack);
    uint64_t units = outer * kz_ceil_div(across, lanes_for(across));
    uint64_t rows = REDUCE_AXIS_THREADS / lanes_for(across) * REDUCE_AXIS_ROWS; // that a block has in flight
    uint64_t pieces = wide ? column_pieces(p, units, rows * one) * one : pieces_of(p, units, rows);
    p->plan->workspace_bytes = partial_bytes(c, pieces);
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OUT),
                     pieces == 1 ? kz_arg_u64(0) : kz_arg_workspace(0),
                     kz_arg_u64(outer),
                     kz_arg_u64((uint64_t)c->axes[N]),
                     kz_arg_u64(inner),
                     kz_arg_u64(pieces),
                     kz_arg_u64(width)};
    kz_status status = add(p, (kz_plan_launch){.idea = idea,
                                               .blocks = kz_min_u64(units * pieces, 1u << 20),
                                               .threads = REDUCE_AXIS_THREADS,
                                               .args = args,
                                               .arg_count = 8});
    return status ? status : add_gather(p, pieces);
}

static kz_status plan_columns(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = told(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    return add_columns(p, NULL, false, false);
}

// A launch of 06's kernels: rows of at most 16 packs have a pack per lane, longer ones REDUCE_AXIS_PACKS.
static kz_status add_rows(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t packs = row_packs(c), n = (uint64_t)c->axes[N];
    bool brief = packs <= 16;
    uint64_t lanes = lanes_for(kz_ceil_div(packs, brief ? 1 : REDUCE_AXIS_PACKS));
    uint64_t per_block = REDUCE_AXIS_ROW_THREADS / lanes * (brief ? REDUCE_AXIS_PACKS : 1);
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_ROW_BLOCKS * REDUCE_AXIS_ROW_WAVES;
    uint64_t blocks = kz_min_u64(kz_ceil_div(segments(c), per_block), full);
    kz_arg args[] = {kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(segments(c)), kz_arg_u64(n),
                     kz_arg_u64(lanes)};
    return add(p, (kz_plan_launch){.idea = brief ? "short" : "long",
                                   .blocks = blocks,
                                   .threads = REDUCE_AXIS_ROW_THREADS,
                                   .args = args,
                                   .arg_count = 5});
}

static kz_status plan_vector(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = rows_alone(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    if (c->operation == KZ_REDUCE_MEAN)
        return kz_plan_refuse(p->error, "sums and maxima alone: 07_dispatch has 06's kernels for means too");
    return add_rows(p);
}

// Threads of a block, of so many, each with `packs`: more while each has two rounds of loads, or one where the blocks are
// too few to fill the GPU.
static uint32_t team_threads(const kz_planner *p, uint64_t blocks, uint64_t packs) {
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_TEAM_THREADS * REDUCE_AXIS_TEAM_BLOCKS;
    uint32_t threads = REDUCE_AXIS_TEAM_LEAST;
    while (threads < REDUCE_AXIS_TEAM_THREADS) {
        uint64_t rounds = packs / (2 * threads * REDUCE_AXIS_TEAM_PACKS);
        if (rounds < 1 || (rounds < 2 && blocks * threads * 2 > full)) break;
        threads *= 2;
    }
    return threads;
}

// Pieces that rows are cut into: half as many blocks as multiprocessors read as fast as all of them, so only where there are
// fewer rows, and where those are long, for whoever puts the pieces together waits a microsecond for it.
static uint64_t row_pieces(const kz_planner *p) {
    uint64_t enough = (uint64_t)p->device->multiprocessors / 2;
    if (segments(p->c) >= enough || row_bytes(p->c) < REDUCE_AXIS_SPLIT_BYTES / (enough - segments(p->c)))
        return 1;
    return pieces_of(p, segments(p->c), REDUCE_AXIS_PIECE_BYTES / kz_type_size(p->c->type));
}

// A block per row; where those are too few, one per piece of a row, which the last one puts together.
static kz_status add_team(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t n = (uint64_t)c->axes[N], pack = 16 / kz_type_size(c->type);
    uint64_t pieces = kz_min_u64(row_pieces(p), REDUCE_AXIS_TEAM_STATUSES / segments(c));
    if (pieces == 0) pieces = 1;
    uint64_t chunk = kz_ceil_div(kz_ceil_div(n, pieces), pack) * pack, blocks = segments(c) * pieces;
    kz_arg args[] = {kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(n), kz_arg_u64(pieces),
                     kz_arg_u64(chunk)};
    return add(p, (kz_plan_launch){.idea = "team",
                                   .blocks = blocks,
                                   .threads = team_threads(p, blocks, row_bytes(c) / pieces / 16),
                                   .args = args,
                                   .arg_count = 5});
}

// The same for what finds, with a second launch that puts the pieces together.
static kz_status add_find_team(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t pieces = pieces_of(p, segments(c), REDUCE_AXIS_PIECE_BYTES / kz_type_size(c->type));
    p->plan->workspace_bytes = partial_bytes(c, pieces);
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OUT),
                     pieces == 1 ? kz_arg_u64(0) : kz_arg_workspace(0),
                     kz_arg_u64(segments(c)),
                     kz_arg_u64((uint64_t)c->axes[N]),
                     kz_arg_u64(pieces)};
    kz_status status = add(p, (kz_plan_launch){.idea = "find_team",
                                               .blocks = kz_min_u64(segments(c) * pieces, 1u << 20),
                                               .threads = REDUCE_AXIS_FIND_TEAM_THREADS,
                                               .args = args,
                                               .arg_count = 6});
    return status ? status : add_gather(p, pieces);
}

static bool is_ragged(const kz_case *c) { return row_bytes(c) % 16 != 0 && row_bytes(c) <= 256; }

// Short rows that begin anywhere: tiles of them in shared memory, lanes enough that a tile fills the block.
static kz_status add_ragged(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t lanes = lanes_for(kz_ceil_div(row_bytes(c) * REDUCE_AXIS_THREADS, REDUCE_AXIS_RAGGED_BYTES));
    uint64_t rows = lanes == 1 ? REDUCE_AXIS_RAGGED_BYTES / row_bytes(c) : REDUCE_AXIS_THREADS / lanes;
    uint64_t full = (uint64_t)p->device->multiprocessors * 6 * REDUCE_AXIS_RAGGED_WAVES;
    kz_arg args[] = {kz_arg_buffer(IN),       kz_arg_buffer(OUT),
                     kz_arg_u64(segments(c)), kz_arg_u64((uint64_t)c->axes[N]),
                     kz_arg_u64(rows),        kz_arg_u64(lanes)};
    uint64_t blocks = kz_min_u64(kz_ceil_div(segments(c), rows), full);
    return add(p, (kz_plan_launch){.idea = "ragged",
                                   .blocks = blocks,
                                   .threads = REDUCE_AXIS_THREADS,
                                   .args = args,
                                   .arg_count = 6});
}

// A row is worth a block of its own by its length, and where there are so few that a warp each would leave the GPU idle.
static bool worth_a_block(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t full = (uint64_t)p->device->multiprocessors * 32;
    return row_bytes(c) > REDUCE_AXIS_WARP_BYTES || (segments(c) < full && row_bytes(c) > 2048);
}

// By shape: columns; rows that are worth a block; short ones that begin anywhere; the rest.
static kz_status plan_dispatch(const kz_planner *p) {
    const kz_case *c = p->c;
    if (reduce_finds(c)) return told(p);
    kz_status status = supported(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    if (c->axes[INNER] > 1) return add_columns(p, "wide_columns", true, true);
    bool few = segments(c) < (uint64_t)p->device->multiprocessors * 4;
    if (worth_a_block(p) || (few && row_bytes(c) > 512)) return add_team(p);
    if (is_ragged(c))
        return add_ragged(p);
    else
        return add_rows(p);
}

// Rows of less than a block, for what finds: up to 8 packs for each lane, four lanes at least where a row has as many
// packs. Of those of 2, 4, 8 or 16 packs, eight packs' worth of rows at a time.
static kz_status add_find(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t packs = row_bytes(c) / 16, lanes = lanes_for(kz_ceil_div(packs, REDUCE_AXIS_FIND_PACKS));
    uint64_t least = lanes_for(packs < 4 ? packs : 4), per_block;
    if (lanes < least) lanes = least;
    bool brief = row_bytes(c) % 16 == 0 && packs > 1 && packs <= 16 && (packs & (packs - 1)) == 0;
    per_block = REDUCE_AXIS_ROW_THREADS / lanes * (brief ? 8 * lanes / packs : 1);
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_AXIS_ROW_BLOCKS * REDUCE_AXIS_ROW_WAVES;
    uint64_t blocks = kz_min_u64(kz_ceil_div(segments(c), per_block), full);
    kz_arg args[] = {kz_arg_buffer(IN), kz_arg_buffer(OUT), kz_arg_u64(segments(c)),
                     kz_arg_u64((uint64_t)c->axes[N]), kz_arg_u64(lanes)};
    return add(p, (kz_plan_launch){.idea = "find",
                                   .blocks = blocks,
                                   .threads = REDUCE_AXIS_ROW_THREADS,
                                   .args = args,
                                   .arg_count = 5});
}

static kz_status plan_value_then_index(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status == KZ_OK && !reduce_finds(c))
        return kz_plan_refuse(p->error, "argmin and argmax alone: 07_dispatch does %s",
                              reduce_operations[c->operation]);
    if (status != KZ_OK || segments(c) == 0) return status;
    if (c->axes[INNER] > 1) return add_columns(p, "find_columns", true, false);
    if (worth_a_block(p)) return add_find_team(p);
    if (is_ragged(c))
        return add_ragged(p);
    else
        return add_find(p);
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", reduce_axis_natives},
    {"01_thread", 75, plan_thread, "a thread per segment"},
    {"02_warp", 75, plan_each, "a warp per segment", .threads = 32},
    {"03_block", 75, plan_each, "a block per segment", .threads = REDUCE_AXIS_THREADS},
    {"04_lane_group", 75, plan_lane_group, "1 to 32 lanes by the row's length, 16-byte loads"},
    {"05_columns", 75, plan_columns, "tiles of columns, n in pieces, a second stage"},
    {"06_vector", 75, plan_vector, "several rows or packs per lane in flight"},
    {"07_dispatch", 75, plan_dispatch, "the plan dispatches by shape"},
    {"08_value_then_index", 75, plan_value_then_index, "argmin and argmax: the value first, then its index"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, o, n, i, u, ...)                                                                          \
    {.operation = KZ_REDUCE_##f, .type = KZ_##t, .axes = {o, n, i}, .use = u, __VA_ARGS__}
#define CHECK(f, t, o, n, i, ...) CASE(f, t, o, n, i, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, o, n, i) CASE(f, t, o, n, i, KZ_USE_BENCH)
// Rows of one pack, of some lanes, of a warp and more, that begin with packs and anywhere; columns, few and
// many.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 37, 16, 1), CHECK(f, t, 67, 5, 1, .misalign = 1), CHECK(f, t, 19, 131, 1),                   \
    CHECK(f, t, 5, 33, 3), CHECK(f, t, 2, 65, 48), CHECK(f, t, 1, 300, 33, .misalign = 1)
#define FLOAT_EDGES(f, t)                                                                                    \
    EDGES(f, t), CHECK(f, t, 9, 40, 1, .data = KZ_DATA_NAN), CHECK(f, t, 2, 40, 16, .data = KZ_DATA_INF)
#define FIND_EDGES(f, t)                                                                                     \
    CHECK(f, t, 67, 5, 1, .misalign = 1), CHECK(f, t, 19, 131, 1), CHECK(f, t, 5, 33, 3),                    \
    CHECK(f, t, 2, 65, 48), CHECK(f, t, 9, 40, 1, .data = KZ_DATA_NAN),                                      \
    CHECK(f, t, 2, 40, 16, .data = KZ_DATA_INF)
#define FLOATS(list, f) list(f, F32), list(f, F64), list(f, F16), list(f, BF16)
// clang-format on

static const kz_case cases[] = {
    CHECK(SUM, F32, 0, 16, 1),
    CHECK(SUM, F32, 3, 0, 2),
    CHECK(MAX, I32, 3, 0, 1),
    CHECK(MEAN, F32, 3, 0, 1), // NaN
    CHECK(SUM, F32, 1, 1, 1),
    CHECK(SUM, F32, 1000, 1, 1),
    CHECK(SUM, F32, 301, 4, 1), // whole tiles of 06 and a rest: 1, 2, 4 and 16 lanes
    CHECK(SUM, F16, 150, 16, 1),
    CHECK(MAX, F32, 100, 12, 1), // three packs for four lanes
    CHECK(SUM, F32, 70, 64, 1),
    CHECK(SUM, F32, 300, 25, 1), // tiles in shared memory, with 2 and 4 lanes per row
    CHECK(MAX, F32, 131, 63, 1, .misalign = 2),
    CHECK(SUM, F32, 301, 16, 1, .misalign = 3),
    CHECK(SUM, F32, 31, 256, 1),
    CHECK(SUM, F32, 33, 257, 1),
    CHECK(SUM, F32, 3, 4096, 1),
    CHECK(SUM, F32, 5, 4099, 1),
    CHECK(SUM, F32, 1, 70001, 1, .misalign = 1), // in pieces
    CHECK(SUM, F32, 1, 9001, 4),                 // the same, of columns
    CHECK(SUM, F32, 1, 100, 1025),
    CHECK(MAX, F32, 1, 303, 33), // four rows together, and three that are left
    CHECK(SUM, F16, 1, 1001, 9),
    CHECK(SUM, F64, 1, 67, 5),
    CHECK(SUM, F16, 40, 17, 1, .misalign = 7),
    CHECK(SUM, F16, 3, 5003, 1, .data = KZ_DATA_POSITIVE),
    CHECK(SUM, F16, 3, 100, 8, .data = KZ_DATA_LARGE),  // float holds what f16 does not
    CHECK(SUM, I32, 3, 1000, 1, .data = KZ_DATA_LARGE), // wraps
    CHECK(SUM, F32, 3, 100, 1, .data = KZ_DATA_ZEROS),
    CHECK(SUM, F32, 3, 100, 4, .data = KZ_DATA_DENORMAL),
    FLOATS(FLOAT_EDGES, SUM),
    FLOATS(FLOAT_EDGES, MAX),
    FLOATS(FLOAT_EDGES, MEAN),
    EDGES(SUM, I32),
    EDGES(MAX, I32),
    // 01 and 07 or 08 alone.
    FLOATS(FIND_EDGES, MIN),
    FLOATS(FIND_EDGES, ARGMIN),
    FLOATS(FIND_EDGES, ARGMAX),
    EDGES(MIN, I32),
    EDGES(ARGMIN, I32),
    EDGES(ARGMAX, I32),
    CHECK(ARGMAX, I32, 3, 0, 2), // no index
    CHECK(ARGMIN, F32, 7, 1, 3),
    CHECK(ARGMAX, F32, 301, 16, 1), // 08: whole tiles of 2, 4 and 8 packs and a rest; a lane; a rest of packs
    CHECK(ARGMIN, F16, 150, 16, 1, .data = KZ_DATA_RUNS),
    CHECK(ARGMAX, F64, 70, 16, 1, .data = KZ_DATA_NAN),
    CHECK(ARGMAX, I32, 100, 4, 1),
    CHECK(ARGMIN, F32, 33, 1000, 1, .data = KZ_DATA_NAN),
    CHECK(ARGMAX, BF16, 5, 4096, 1, .data = KZ_DATA_RUNS),
    CHECK(ARGMAX, F32, 31, 256, 1, .data = KZ_DATA_INF),
    CHECK(ARGMIN, F32, 37, 257, 1, .data = KZ_DATA_RUNS, .misalign = 2),
    CHECK(ARGMAX, F32, 21, 64, 1, .data = KZ_DATA_EQUAL), // the first of all, whoever comes first
    CHECK(ARGMIN, F16, 3, 5003, 1, .data = KZ_DATA_RUNS), // ties in a row of a block
    CHECK(ARGMAX, F32, 1, 70001, 1, .data = KZ_DATA_EQUAL, .misalign = 1), // in pieces
    CHECK(ARGMIN, F32, 1, 70001, 1, .data = KZ_DATA_NAN),
    CHECK(ARGMAX, F64, 1, 9001, 3, .data = KZ_DATA_RUNS), // the same, of columns
    CHECK(ARGMAX, F32, 1, 9001, 16, .data = KZ_DATA_RUNS),
    CHECK(ARGMIN, BF16, 3, 100, 8, .data = KZ_DATA_NAN),
    CHECK(MIN, F32, 5, 4099, 1),
    CHECK(MIN, F32, 300, 25, 1),
    BENCH(SUM, F32, 1 << 24, 16, 1),
    BENCH(SUM, F32, 1 << 20, 256, 1),
    BENCH(SUM, F32, 1 << 16, 4096, 1),
    BENCH(SUM, F32, 1 << 12, 65536, 1),
    BENCH(SUM, F32, 16, 1 << 24, 1),
    BENCH(SUM, F32, (1 << 28) / 17, 17, 1),
    BENCH(SUM, F32, (1 << 28) / 1001, 1001, 1),
    BENCH(SUM, F32, 1, 1 << 14, 1 << 14),
    BENCH(SUM, F32, 1, 1 << 22, 64),
    BENCH(SUM, F32, 1 << 12, 256, 256),
    BENCH(SUM, F32, 1, 1 << 20, 255),
    BENCH(MEAN, F32, 1 << 20, 256, 1),
    BENCH(MAX, BF16, 1 << 20, 256, 1),
    BENCH(MIN, F32, 1 << 20, 256, 1),
    BENCH(ARGMAX, F32, 1 << 24, 16, 1),
    BENCH(ARGMAX, F32, 1 << 20, 256, 1),
    BENCH(ARGMIN, F32, 1 << 16, 4096, 1),
    BENCH(ARGMAX, BF16, 1 << 13, 1 << 15, 1),
    BENCH(ARGMAX, F32, 1, 1 << 14, 1 << 14),
    BENCH(SUM, F16, 1 << 24, 16, 1),
    BENCH(SUM, F16, 1, 1 << 14, 1 << 14),
    CASE(MAX, F16, (1LL << 31) / 64 + 3, 65, 1, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[N]; }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"04_group", "04_lane_group"},
    {"07_chosen", "07_dispatch"},
    {"08_second_look", "08_value_then_index"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {3, 100, 5}}, {6060, 1500}},
};

const kz_family kz_family_reduce_axis = {
    .name = "reduce_axis",
    .group = "primitives",
    .summary = "sum, min, max, mean, argmin and argmax along one axis of a tensor",
    .operations = reduce_operations,
    .axes = (const char *const[]){"outer", "n", "inner", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_reduce_axis,
    .buffers = buffers,
    .reference = reduce_axis_reference,
    .rule = reduce_rule,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "cudnn", "torch", "torch_compile", "triton", NULL},
    .guest_signature =
        "const T *in, T *out, size_t outer, size_t n, size_t inner\n"
        "argmin-*,argmax-*: const T *in, T *out, long long *index, size_t outer, size_t n, size_t inner",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_reduce_axis_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t outer,
                              size_t n, size_t inner, const char *variant, kz_operation **operation,
                              kz_error *error) {
    kz_case c = {.operation = function, .type = type, .axes = {(int64_t)outer, (int64_t)n, (int64_t)inner}};
    return kz_operation_open_family(device, &kz_family_reduce_axis, &c, variant, operation, error);
}

kz_status kz_reduce_axis_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                             kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out}, 2, workspace, workspace_bytes, error);
}

kz_status kz_reduce_axis_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                   kz_ptr index, kz_ptr workspace, uint64_t workspace_bytes,
                                   kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out, index}, 3, workspace, workspace_bytes,
                            error);
}
