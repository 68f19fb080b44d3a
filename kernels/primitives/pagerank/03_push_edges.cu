// pagerank 03: push, shared out by edges
//
// Idea     share out edges, of which all are alike, and not vertices, of which none is like the other.
// Change   a thread takes 8 neighbouring edges, whosever they are. A search in the offsets tells the vertex of the
//          first; from there on it walks.
// Expect   the same time for any shape of the graph. 22 steps of search for 4 million vertices, all but the last few in
//          lines that everybody asks for.
// Limit    the atomics, an L2 access per edge that also writes: pulling (04) only reads.

#include "pagerank.cuh"

PAGERANK_START(push_edges)

// The vertex that has edge e: the last whose row begins at or before it. Rows before it may be empty, its own is not.
static __device__ __forceinline__ size_t owner(const unsigned *offsets, size_t vertices, unsigned e) {
    size_t low = 0, high = vertices; // offsets[low] <= e < offsets[high]
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (offsets[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    return low;
}

KZ_ENTRY(pagerank_push_edges_step_f32)
(const unsigned *out_offsets, const unsigned *out_targets, const float *rank, float *next, size_t vertices,
 size_t edges) {
    size_t first = kz_thread() * PAGERANK_EDGES;
    if (first >= edges) return;
    unsigned end = (unsigned)(first + PAGERANK_EDGES < edges ? first + PAGERANK_EDGES : edges);
    size_t v = owner(out_offsets, vertices, (unsigned)first);
    unsigned e = (unsigned)first;
    for (; e < end; v++) {
        unsigned stop = min(out_offsets[v + 1], end);
        float share = DAMPING * share_of(out_offsets, rank, v);
        for (; e < stop; e++) atomicAdd(&next[out_targets[e]], share);
    }
}
