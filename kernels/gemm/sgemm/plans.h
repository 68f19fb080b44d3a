// sgemm: shapes of tiles and launches, for the plans of the GPU's ladder.
#ifndef SGEMM_PLANS_H
#define SGEMM_PLANS_H

#include "private.h"
#include "tune.h"

// As struct shape in tile.cuh has it: warps of 8 rows for each of a thread's `rows` and of 16 columns for each of its
// `quads`; chunks of `depth` whose rows of a are padded by a quad.
typedef struct sgemm_shape {
    uint32_t height, width, threads, stage_bytes;
} sgemm_shape;
static inline sgemm_shape sgemm_make_shape(uint32_t down, uint32_t across, uint32_t quads, uint32_t depth,
                                           uint32_t rows) {
    sgemm_shape s = {.height = 8 * rows * down, .width = 16 * quads * across, .threads = 32 * down * across};
    s.stage_bytes = 4 * (s.height * (depth + 4) + depth * s.width);
    return s;
}
static inline uint64_t sgemm_count_tiles(const sgemm_shape *s, uint64_t m, uint64_t n) {
    return kz_ceil_div(m, s->height) * kz_ceil_div(n, s->width);
}

// `bytes` more of the plan's workspace.
kz_arg sgemm_reserve(const kz_planner *p, uint64_t bytes);

// Where a kernel of 14 finds a and b, the floats from a row to the next, and k, to which they are filled up with zeros.
typedef struct sgemm_rows {
    kz_arg a, b;
    uint64_t k, a_line, b_line;
} sgemm_rows;

// Blocks that divide k: `groups` clusters of `cluster` blocks have a tile. Several groups need a workspace.
typedef struct sgemm_division {
    const char *part; // of the kernel's name
    uint64_t tiles;
    uint32_t threads, shared_bytes, tile_floats, cluster, groups;
} sgemm_division;

// As many parts of k as `parts`, or fewer: by the blocks of one cluster, then by several clusters.
void sgemm_divide(sgemm_division *d, uint64_t parts);
// `rows`: NULL for kernels that take the caller's matrices as they are.
kz_status sgemm_launch_division(const kz_planner *p, const sgemm_division *d, const sgemm_rows *rows);
// The kernel of 13 for the case and its division; false where neither c's rows nor its columns are few.
bool sgemm_find_vector(const kz_planner *p, sgemm_division *d);

// Blocks that stay: `whole` tiles are taken whole, the chunks of the others are shared. These need a workspace.
typedef struct sgemm_stream {
    const char *part;
    sgemm_shape shape;
    uint64_t tiles, whole, blocks;
} sgemm_stream;
kz_status sgemm_launch_stream(const kz_planner *p, const sgemm_stream *s, const sgemm_rows *rows);
uint64_t sgemm_count_whole(uint64_t tiles, uint64_t blocks);

#endif
