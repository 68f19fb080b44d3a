// sgemm 14: which kernel, which tile, how many parts of k. A model of the time of each candidate, in microseconds; the least
// is taken. The figures, here and in tiles.def, were fitted to what an H200 took for the shapes of suites/sgemm_shapes.toml.
#include "plans.h"

#include <math.h>

typedef struct tile {
    const char *name;
    sgemm_shape shape;
    uint32_t depth, stages, blocks; // blocks: on a multiprocessor
    double alone, each;             // ns of a chunk: of a block that is alone, of each of many
} tile;

#define SGEMM_TILE(name, down, across, quads, depth, rows, stages, unroll, blocks, alone, each)              \
    {#name,                                                                                                  \
     {8 * (rows) * (down), 16 * (quads) * (across), 32 * (down) * (across),                                  \
      4 * (8 * (rows) * (down) * ((depth) + 4) + 16 * (quads) * (across) * (depth))},                        \
     depth,                                                                                                  \
     stages,                                                                                                 \
     blocks,                                                                                                 \
     alone,                                                                                                  \
     each},
static const tile tiles[] = {
#include "tiles.def"
};
#undef SGEMM_TILE
enum { TILES = sizeof tiles / sizeof tiles[0] };

// What lies outside of these was not measured: matrices are copied only if their numbers are used so often, and where both
// sides are this long and the work so much, tiles have at least this many elements.
enum { PACK_REUSE = 60, LARGE_SIDE = 600, LARGE_TILE = 8192 };
static const double large_work = 3e9;

// Microseconds, and TB/s.
static const struct {
    double launch;                  // of a kernel, to its end, without any work
    double round;                   // of blocks on a multiprocessor, in addition
    double cluster;                 // a cluster's sums
    double group;                   // sums in the workspace
    double partial;                 // and of each MB that a block reads there
    double stage;                   // a tile of 64 x 64 in shared memory
    double reach;                   // of the multiprocessors, that clusters of more than two blocks fill
    double uneven, uneven_clusters; // how far the one with most blocks decides, not the mean
    double unaligned; // for each 64 rows or columns, of 64 x 64 elements, that are copied by 4 bytes
    double bandwidth;
    double pack, pack_bandwidth;
    double stay;         // in addition, for blocks that stay
    double large, small; // ns of a chunk of 128 x 256 on a multiprocessor, and of two chunks of 128 x 64
    double share, add;   // tiles that are shared, and each block's sums of 128 x 256
} model = {
#include "model.def"
};

// ---- the model -----------------------------------------------------------------------------------------

typedef struct question {
    double m, n, k, multiprocessors;
} question;

typedef struct candidate {
    const tile *tile; // NULL: blocks that stay
    uint32_t cluster, groups;
    bool large; // tiles of 128 x 256, not of 128 x 64
    bool packed;
    double time;
} candidate;

// Of two limits that bind together.
static double join(double a, double b, double power) { return pow(pow(a, power) + pow(b, power), 1 / power); }

static bool is_aligned(double size) { return fmod(size, 4) == 0; }

// What is copied by 4 bytes slows a tile down, by its share of what the tile reads.
static double slow_down(const question *q, double height, double width, bool packed) {
    double unaligned = (is_aligned(q->k) ? 0 : height) + (is_aligned(q->n) ? 0 : width);
    return packed ? 1 : 1 + model.unaligned * unaligned / 128 * (128 / (height * width)) / (128.0 / 4096);
}

static double time_memory(const question *q) {
    return 4e-6 * (q->m * q->k + q->k * q->n + q->m * q->n) / model.bandwidth;
}

static double time_pack(const question *q) {
    return model.pack + 8e-6 * ((is_aligned(q->k) ? 0 : q->m * q->k) + q->k * q->n) / model.pack_bandwidth;
}

// `resident` blocks on a multiprocessor, each for a chunk: in microseconds.
static double time_chunk(const tile *t, double resident) {
    return resident == 0 ? 0 : join(t->alone, resident * t->each, 3) / 1000;
}

// Blocks of a multiprocessor, those that find no place after the others.
static double time_blocks(const tile *t, double blocks) {
    double rounds = floor(blocks / t->blocks);
    return rounds * time_chunk(t, t->blocks) + time_chunk(t, blocks - rounds * t->blocks);
}

static double time_divided(const question *q, const candidate *c) {
    const tile *t = c->tile;
    double height = t->shape.height, width = t->shape.width, parts = (double)c->cluster * c->groups;
    double blocks = ceil(q->m / height) * ceil(q->n / width) * parts;
    double reached = q->multiprocessors * (c->cluster > 2 ? model.reach : 1);
    double most = ceil(blocks / reached - 1e-9); // blocks of the multiprocessor that has most
    double uneven = c->cluster > 2 ? model.uneven_clusters : model.uneven;
    double work = uneven * time_blocks(t, most) + (1 - uneven) * time_blocks(t, fmax(1, blocks / reached));
    work *= ceil(ceil(q->k / t->depth) / parts) * slow_down(q, height, width, c->packed);
    double sums = 0;
    if (c->cluster > 1) sums += model.cluster;
    if (c->groups > 1) sums += model.group + model.partial * 4e-6 * c->groups * height * width / c->cluster;
    if (parts > 1) sums += model.stage * height * width / 4096 * fmin(most, t->blocks);
    return model.launch + model.round * ceil(most / t->blocks) + join(work, time_memory(q), 4) + sums;
}

// Of the tiles, all but the last full round and the rest are whole; these are shared evenly.
static double time_stream(const question *q, const candidate *c) {
    double height = 128, width = c->large ? 256 : 64, tiles_ = ceil(q->m / height) * ceil(q->n / width);
    double blocks = q->multiprocessors * (c->large ? 1 : SGEMM_SMALL_BLOCKS), chunks = ceil(q->k / 32);
    double whole = fmax(0, floor(tiles_ / blocks) - 1) * blocks, shared = (tiles_ - whole) / blocks;
    double work = tiles_ * chunks / blocks * (c->large ? model.large : model.small) / 1000;
    work *= slow_down(q, height, width, c->packed);
    double sums = model.share + model.add * fmin(fmax(0, 1 / shared - 1), 40) * height * width / 32768;
    if (shared == 1) sums = 0;
    return model.launch + model.stay + join(work, time_memory(q), 4) + sums;
}

static void consider(const question *q, candidate c, candidate *best) {
    bool packs = (!is_aligned(q->k) || !is_aligned(q->n)) && q->m * q->n > PACK_REUSE * (q->m + q->n) &&
                 (!c.tile || (c.tile->shape.height >= 32 && c.tile->shape.width >= 48));
    for (int packed = 0; packed <= packs; packed++) {
        question asked = *q;
        c.packed = packed;
        if (packed) asked.k = ceil(q->k / 4) * 4;
        c.time = (packed ? time_pack(q) : 0) + (c.tile ? time_divided(&asked, &c) : time_stream(&asked, &c));
        if (c.time < best->time) *best = c;
    }
}

// Parts of k by one cluster of up to 8, or by 1, 2, 4 or 8 blocks and several clusters.
static void consider_tile(const question *q, const tile *t, candidate *best) {
    static const uint32_t clusters[] = {1, 2, 4, 8};
    double count = ceil(q->m / t->shape.height) * ceil(q->n / t->shape.width), chunks = ceil(q->k / t->depth);
    double most = q->multiprocessors * fmin(t->blocks, 4);
    if (fmin(q->m, q->n) > LARGE_SIDE && q->m * q->n * q->k > large_work &&
        t->shape.height * t->shape.width < LARGE_TILE)
        return;
    for (uint32_t cluster = 1; cluster <= SGEMM_CLUSTER; cluster++)
        if (cluster == 1 || (cluster <= chunks && count * cluster <= most))
            consider(q, (candidate){.tile = t, .cluster = cluster, .groups = 1}, best);
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++)
        for (uint32_t groups = 2; groups <= SGEMM_GROUPS; groups++) {
            double parts = (double)clusters[i] * groups;
            if (parts > chunks || count * parts > most || count * clusters[i] > SGEMM_TICKETS) break;
            consider(q, (candidate){.tile = t, .cluster = clusters[i], .groups = groups}, best);
        }
}

static candidate select_candidate(const question *q) {
    candidate best = {.tile = &tiles[0], .cluster = 1, .groups = 1, .time = HUGE_VAL};
    for (size_t i = 0; i < TILES; i++) consider_tile(q, &tiles[i], &best);
    for (int large = 0; large <= 1; large++)
        if (q->k > 0 && q->multiprocessors * SGEMM_SMALL_BLOCKS <= SGEMM_TICKETS)
            consider(q, (candidate){.large = large}, &best);
    return best;
}

// ---- the plan --------------------------------------------------------------------------------------------

static uint64_t round_up(uint64_t size) { return (size + 3) / 4 * 4; }

// A launch that copies what is not aligned into the workspace; where a and b are then.
static kz_status plan_rows(const kz_planner *p, bool packed, sgemm_rows *rows) {
    uint64_t m = (uint64_t)p->c->axes[M], n = (uint64_t)p->c->axes[N], k = (uint64_t)p->c->axes[K];
    *rows = (sgemm_rows){kz_arg_buffer(A), kz_arg_buffer(B), k, k, n};
    if (!packed) return KZ_OK;
    uint64_t a_line = k % 4 ? round_up(k) : 0, b_line = round_up(n);
    kz_arg to_a = a_line ? sgemm_reserve(p, 4 * m * a_line) : kz_arg_u64(0),
           to_b = sgemm_reserve(p, 4 * round_up(k) * b_line);
    uint64_t blocks = kz_min_u64((a_line ? m : 0) + round_up(k), 8 * (uint64_t)p->device->multiprocessors);
    *rows = (sgemm_rows){a_line ? to_a : rows->a, to_b, round_up(k), a_line ? a_line : k, b_line};
    return KZ_LAUNCH(p, .part = "pack", .blocks = blocks, .threads = SGEMM_PACK_THREADS,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), to_a, to_b, kz_arg_u64(m), kz_arg_u64(n),
                             kz_arg_u64(k), kz_arg_u64(a_line), kz_arg_u64(b_line)));
}

static kz_status plan_candidate(const kz_planner *p, const candidate *c) {
    uint64_t m = (uint64_t)p->c->axes[M], n = (uint64_t)p->c->axes[N];
    sgemm_rows rows;
    kz_status status = plan_rows(p, c->packed, &rows);
    if (status) return status;
    const tile *t = c->tile;
    if (t)
        return sgemm_launch_division(p,
                                     &(sgemm_division){.part = t->name,
                                                       .tiles = sgemm_count_tiles(&t->shape, m, n),
                                                       .threads = t->shape.threads,
                                                       .shared_bytes = t->stages * t->shape.stage_bytes,
                                                       .tile_floats = t->shape.height * t->shape.width,
                                                       .cluster = c->cluster,
                                                       .groups = c->groups},
                                     &rows);
    uint64_t blocks = (uint64_t)p->device->multiprocessors * (c->large ? 1 : SGEMM_SMALL_BLOCKS);
    sgemm_stream s = {.part = c->large ? "large" : "small",
                      .shape = c->large ? sgemm_make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4,
                                                           SGEMM_PRODUCER_DEPTH, 8)
                                        : sgemm_make_shape(2, 2, 2, SGEMM_PRODUCER_DEPTH, 8),
                      .blocks = blocks};
    s.tiles = sgemm_count_tiles(&s.shape, m, n);
    s.whole = sgemm_count_whole(s.tiles, blocks);
    return sgemm_launch_stream(p, &s, &rows);
}

kz_status sgemm_plan_shape_selection(const kz_planner *p) {
    const int64_t *axes = p->c->axes;
    sgemm_division vector;
    if (axes[M] == 0 || axes[N] == 0) return KZ_OK;
    if (sgemm_find_vector(p, &vector)) return sgemm_launch_division(p, &vector, NULL);
    const question q = {(double)axes[M], (double)axes[N], (double)axes[K], p->device->multiprocessors};
    candidate best = select_candidate(&q);
    return plan_candidate(p, &best);
}
