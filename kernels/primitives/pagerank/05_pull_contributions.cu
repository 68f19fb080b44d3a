// pagerank 05: pull of contributions
//
// Idea     a share belongs to a vertex, not to an edge: divide once for each vertex.
// Change   a launch before writes all shares to the workspace; the pull reads one number per edge.
// Expect   one load at random per edge instead of three, from an array of 4 bytes per vertex that stays in L2 (16 MB
//          for 4 million vertices). The launch before reads and writes 12 bytes per vertex, in order.
// Limit    32 lanes walk 32 rows: sources are read from 32 places, and each lane waits for one share at a time.

#include "pagerank.cuh"

PAGERANK_SHARES(pull_contributions)

KZ_ENTRY(pagerank_pull_contributions_step_f32)
(const unsigned *in_offsets, const unsigned *in_sources, const float *share, float *next, size_t vertices) {
    for (size_t v = kz_thread(); v < vertices; v += kz_threads()) {
        unsigned end = in_offsets[v + 1];
        float sum = 0.0f;
        for (unsigned e = in_offsets[v]; e < end; e++) sum += share[in_sources[e]];
        next[v] = ground(vertices) + DAMPING * sum;
    }
}
