// sgemm: the plans of 11 to 13, and the launches from which 14 chooses.
#include "plans.h"

static uint64_t axis(const kz_planner *p, int which) { return (uint64_t)p->c->axes[which]; }

kz_arg sgemm_reserve(const kz_planner *p, uint64_t bytes) {
    uint64_t offset = (p->plan->workspace_bytes + 255) / 256 * 256;
    p->plan->workspace_bytes = offset + bytes;
    return kz_arg_workspace(offset);
}

// The arguments of a kernel that takes sums from the workspace: the case's own, `partials`, `count`, the rows' places.
static size_t list_args(const kz_planner *p, uint64_t bytes, uint64_t count, const sgemm_rows *rows,
                        kz_arg args[KZ_PLAN_ARGS]) {
    size_t args_count = kz_guest_args(p->family, p->c, args);
    args[args_count++] = bytes ? sgemm_reserve(p, bytes) : kz_arg_u64(0);
    args[args_count++] = kz_arg_u64(count);
    if (!rows) return args_count;
    args[0] = rows->a, args[1] = rows->b, args[5] = kz_arg_u64(rows->k);
    args[args_count++] = kz_arg_u64(rows->a_line);
    args[args_count++] = kz_arg_u64(rows->b_line);
    return args_count;
}

// ---- blocks that divide k (parts.cuh) ------------------------------------------------------------------

kz_status sgemm_launch_division(const kz_planner *p, const sgemm_division *d, const sgemm_rows *rows) {
    kz_arg args[KZ_PLAN_ARGS];
    uint64_t bytes = d->groups > 1 ? 4 * d->tiles * d->groups * d->tile_floats : 0;
    size_t count = list_args(p, bytes, d->groups, rows, args);
    return KZ_LAUNCH(p, .part = d->part, .blocks = d->tiles * d->cluster * d->groups, .threads = d->threads,
                     .cluster = d->cluster > 1 ? d->cluster : 0, .shared_bytes = d->shared_bytes,
                     .args = args, .arg_count = count);
}

void sgemm_divide(sgemm_division *d, uint64_t parts) {
    d->cluster = (uint32_t)kz_min_u64(parts, SGEMM_CLUSTER);
    uint64_t tickets = d->tiles * d->cluster;
    d->groups = (uint32_t)kz_min_u64(parts / d->cluster, tickets ? SGEMM_TICKETS / tickets : 1);
    if (d->groups == 0) d->groups = 1;
}

// Parts for as many blocks as run at a time, of at least a chunk each.
static uint64_t count_parts(const kz_planner *p, uint64_t tiles, uint32_t blocks, uint64_t chunks) {
    uint64_t all = (uint64_t)p->device->multiprocessors * blocks;
    uint64_t parts = tiles ? kz_min_u64(all / tiles, chunks) : 1;
    return parts ? parts : 1;
}

kz_status sgemm_plan_split_k(const kz_planner *p) {
    sgemm_shape s = sgemm_make_shape(2, 2, 2, SGEMM_SPLIT_DEPTH, 4);
    sgemm_division d = {.tiles = sgemm_count_tiles(&s, axis(p, M), axis(p, N)),
                        .threads = s.threads,
                        .shared_bytes = SGEMM_SPLIT_STAGES * s.stage_bytes,
                        .tile_floats = s.height * s.width};
    uint64_t chunks = kz_ceil_div(axis(p, K), SGEMM_SPLIT_DEPTH);
    sgemm_divide(&d, count_parts(p, d.tiles, SGEMM_SPLIT_BLOCKS, chunks));
    return sgemm_launch_division(p, &d, NULL);
}

// ---- few rows or columns ---------------------------------------------------------------------------------

// Parts of k for blocks that only read. Clusters of more than two leave multiprocessors idle, and a block that finds no place
// comes after all others: 10 of 11 places. A part is long enough to be worth its sums, but for the smallest of matrices.
static uint64_t count_vector_parts(const kz_planner *p, uint64_t tiles, uint32_t count, bool columns) {
    enum { BAND = SGEMM_VECTOR_BAND };
    uint64_t k = axis(p, K), multiprocessors = (uint64_t)p->device->multiprocessors;
    uint64_t chunks = columns ? k / (2 * BAND) : kz_ceil_div(k, count < 4 ? BAND : BAND / 2);
    if (columns && tiles * chunks < multiprocessors / 2) chunks = kz_ceil_div(k, BAND);
    uint64_t places = multiprocessors * SGEMM_VECTOR_BLOCKS * 10 / 11;
    uint64_t parts = tiles ? kz_min_u64(places / tiles, chunks) : 1;
    return parts ? parts : 1;
}

bool sgemm_find_vector(const kz_planner *p, sgemm_division *d) {
    static const char *const names[2][4] = {{"rows1", "rows2", "rows4", "rows8"},
                                            {"columns1", "columns2", "columns4", "columns8"}};
    enum { BAND = SGEMM_VECTOR_BAND, WARPS = SGEMM_VECTOR_THREADS / 32 };
    uint64_t m = axis(p, M), n = axis(p, N), k = axis(p, K), few = kz_min_u64(m, n);
    if (few > SGEMM_VECTOR_MOST) return false;
    bool columns = n < m;
    uint32_t index = few > 4 ? 3 : few > 2 ? 2 : few > 1, count = 1u << index, each = count > 2 ? 4 : 8;
    uint32_t height = columns ? WARPS * each : count, width = columns ? count : BAND;
    *d = (sgemm_division){.part = names[columns][index],
                          .tiles = kz_ceil_div(m, height) * kz_ceil_div(n, width),
                          .threads = SGEMM_VECTOR_THREADS,
                          .tile_floats = height * width};
    // What a block has of the smaller matrix lies in shared memory; by rows, its warps' sums in the end too.
    uint64_t unit = columns ? BAND : 1, most = SGEMM_VECTOR_BYTES / 4 / count / unit;
    uint64_t least = kz_ceil_div(kz_ceil_div(k, unit), most);
    uint64_t parts = count_vector_parts(p, d->tiles, count, columns);
    sgemm_divide(d, parts > least ? parts : least);
    uint64_t length = kz_ceil_div(kz_ceil_div(k, unit), d->cluster * d->groups) * unit;
    d->shared_bytes = (uint32_t)kz_min_u64(4 * count * length, INT32_MAX);
    if (!columns && d->shared_bytes < 4 * WARPS * count * BAND) d->shared_bytes = 4 * WARPS * count * BAND;
    return d->shared_bytes <=
           3 * SGEMM_VECTOR_BYTES; // more where there are too many tiles to divide k as wanted
}

kz_status sgemm_plan_matrix_vector(const kz_planner *p) {
    sgemm_division d;
    if (sgemm_find_vector(p, &d)) return sgemm_launch_division(p, &d, NULL);
    return kz_plan_refuse(p->error, "matrix_vector does up to %d rows or columns, not %llu x %llu",
                          SGEMM_VECTOR_MOST, (unsigned long long)axis(p, M), (unsigned long long)axis(p, N));
}

// ---- an even share for every block -----------------------------------------------------------------------

kz_status sgemm_launch_stream(const kz_planner *p, const sgemm_stream *s, const sgemm_rows *rows) {
    kz_arg args[KZ_PLAN_ARGS];
    bool divides = s->whole < s->tiles;
    uint64_t bytes = divides ? 4 * s->blocks * s->shape.height * s->shape.width : 0;
    size_t count = list_args(p, bytes, s->whole, rows, args);
    return KZ_LAUNCH(p, .part = s->part, .blocks = divides ? s->blocks : kz_min_u64(s->blocks, s->tiles),
                     .threads = s->shape.threads + SGEMM_PRODUCER_THREADS,
                     .shared_bytes = SGEMM_BARRIER_BYTES + SGEMM_PRODUCER_STAGES * s->shape.stage_bytes,
                     .args = args, .arg_count = count);
}

// The last full round is divided together with what is left after it.
uint64_t sgemm_count_whole(uint64_t tiles, uint64_t blocks) {
    uint64_t rounds = tiles / blocks;
    return rounds > 1 ? (rounds - 1) * blocks : 0;
}

kz_status sgemm_plan_stream_k(const kz_planner *p) {
    sgemm_shape s = sgemm_make_shape(SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH, 8);
    uint64_t tiles = sgemm_count_tiles(&s, axis(p, M), axis(p, N)),
             blocks = (uint64_t)p->device->multiprocessors;
    if (blocks > SGEMM_TICKETS)
        return kz_plan_refuse(p->error, "stream_k has flags for %d blocks, not for %llu", SGEMM_TICKETS,
                              (unsigned long long)blocks);
    return sgemm_launch_stream(p, &(sgemm_stream){NULL, s, tiles, sgemm_count_whole(tiles, blocks), blocks},
                               NULL);
}
