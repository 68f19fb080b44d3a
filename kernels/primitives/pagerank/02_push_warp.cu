// pagerank 02: push, a warp per vertex
//
// Idea     32 lanes read 32 neighbouring targets of one row instead of one of each of 32 rows.
// Change   a warp takes a vertex, and its lanes stride over the row.
// Expect   targets are read by whole sectors; long rows take a thirty-second of the steps.
// Limit    a row of 16 leaves half of the lanes idle, an empty one all of them. A hub with a million edges still keeps
//          one warp for 30,000 steps while the rest of the GPU is done (see 03).

#include "pagerank.cuh"

PAGERANK_START(push_warp)

KZ_ENTRY(pagerank_push_warp_step_f32)
(const unsigned *out_offsets, const unsigned *out_targets, const float *rank, float *next, size_t vertices) {
    for (size_t v = kz_thread() / KZ_WARP; v < vertices; v += kz_threads() / KZ_WARP) {
        unsigned end = out_offsets[v + 1];
        float share = DAMPING * share_of(out_offsets, rank, v);
        for (unsigned e = out_offsets[v] + kz_lane(); e < end; e += KZ_WARP)
            atomicAdd(&next[out_targets[e]], share);
    }
}
