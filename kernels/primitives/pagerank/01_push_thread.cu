// pagerank 01: push, a thread per vertex
//
// Idea     every vertex gives a share of its rank to all that it points at.
// Change   the first version. A thread walks over its vertex's edges and adds by an atomic at each target. A launch
//          before sets every sum to the ground.
// Expect   one atomic per edge, to addresses at random: a sector each way in L2, and no line is shared. Lanes read
//          targets from 32 rows at once.
// Limit    a warp takes as long as its longest row; a hub keeps one thread busy for all of its edges (see 02, 03). And
//          atomics add in an order that changes from run to run (see 04).

#include "pagerank.cuh"

PAGERANK_START(push_thread)

KZ_ENTRY(pagerank_push_thread_step_f32)
(const unsigned *out_offsets, const unsigned *out_targets, const float *rank, float *next, size_t vertices) {
    for (size_t v = kz_thread(); v < vertices; v += kz_threads()) {
        unsigned end = out_offsets[v + 1];
        float share = DAMPING * share_of(out_offsets, rank, v);
        for (unsigned e = out_offsets[v]; e < end; e++) atomicAdd(&next[out_targets[e]], share);
    }
}
