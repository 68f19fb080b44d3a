// pagerank 04: pull, a thread per vertex
//
// Idea     reverse the edges: a vertex gathers from all that point at it. Nobody else writes its sum.
// Change   the transpose's rows are walked; the sum stays in a register and is written once.
// Expect   no atomic, no launch before, the same bits in every run. For each edge three loads at random: the source's
//          rank and the two ends of its row, for the share.
// Limit    the share of a vertex is divided anew for each of its edges (see 05); long rows (see 06, 07).

#include "pagerank.cuh"

KZ_ENTRY(pagerank_pull_thread_step_f32)
(const unsigned *out_offsets, const unsigned *in_offsets, const unsigned *in_sources, const float *rank,
 float *next, size_t vertices) {
    for (size_t v = kz_thread(); v < vertices; v += kz_threads()) {
        unsigned end = in_offsets[v + 1];
        float sum = 0.0f;
        for (unsigned e = in_offsets[v]; e < end; e++) sum += share_of(out_offsets, rank, in_sources[e]);
        next[v] = ground(vertices) + DAMPING * sum;
    }
}
