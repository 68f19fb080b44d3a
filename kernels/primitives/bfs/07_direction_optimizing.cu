// bfs 07: direction-optimizing, push or pull level by level
//
// Idea     push while the frontier is small, pull while it is large (Beamer's direction-optimising search).
// Change   05's push and 06's pull over the same bits. The tail, which all blocks read alike, says how many vertices and
//          edges the frontier has, so that each block decides alone and all decide the same. A pull enters what it
//          found into the queue too, so that a push can follow. A thread pulls for four vertices side by side.
// Expect   in graphs of a few levels a small part of the edges is ever looked at; in long ones it is 05.
// Limit    the small levels at both ends, a few microseconds each for a handful of edges: the barrier and the chain of
//          loads that depend on each other.

#include "bits.cuh"
#include "queue.cuh"

struct graph {
    const unsigned *out_offsets, *out_targets, *in_offsets, *in_sources;
    unsigned vertices, edges;
};

// Pull from when the frontier has many edges beside those left, and as long as it has many vertices.
static __device__ __forceinline__ bool pull_pays(const graph &g, unsigned long long from,
                                                 unsigned long long to, bool pulls) {
    unsigned long long count = entries_of(to) - entries_of(from), own = edges_of(to) - edges_of(from);
    unsigned long long left = g.edges - edges_of(to);
    return count * BFS_BETA >= g.vertices && (pulls || own * BFS_ALPHA > left);
}

// One level from `seen` to `next`, tile by tile of BFS_PULL_VERTICES words for each warp.
static __device__ __forceinline__ void pull(search *s, entry *queue, const graph &g, const unsigned *seen,
                                            unsigned *next, int *levels, int level) {
    enum { COUNT = BFS_PULL_VERTICES, TILE = BFS_THREADS * COUNT };
    for (unsigned tile = blockIdx.x * TILE; tile < g.vertices; tile += gridDim.x * TILE) {
        unsigned v = tile + threadIdx.x, word = (v - kz_lane()) / KZ_WARP;
        unsigned old[COUNT];
        bool asked[COUNT], reached[COUNT];
        row rows[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            bool there = v - kz_lane() + i * BFS_THREADS < g.vertices; // the warp has a vertex, and so a word
            old[i] = there ? seen[word + i * (BFS_THREADS / KZ_WARP)] : 0;
            asked[i] = v + i * BFS_THREADS < g.vertices && !(old[i] >> kz_lane() & 1);
        }
        ask<COUNT, BFS_PULL_EDGES>(g.in_offsets, g.in_sources, seen, v, asked, reached);
        bool found = false;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            unsigned now = __ballot_sync(KZ_ALL_LANES, reached[i]);
            if (kz_lane() == 0 && v + i * BFS_THREADS < g.vertices)
                next[word + i * (BFS_THREADS / KZ_WARP)] = old[i] | now;
            rows[i].begin = rows[i].count = 0;
            if (!reached[i]) continue;
            levels[v + i * BFS_THREADS] = level;
            rows[i] = row_of(g.out_offsets, v + i * BFS_THREADS);
            found = true;
        }
        if (__syncthreads_or(found)) append(s, queue, rows);
    }
}

KZ_ENTRY_BOUNDS(bfs_direction_optimizing_levels_i32, BFS_THREADS, BFS_WIDE_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets,
 const unsigned *in_sources, int *levels, search *s, entry *queue, unsigned *seen, unsigned *next,
 size_t vertices, size_t edges, size_t source) {
    const graph g = {out_offsets, out_targets, in_offsets, in_sources, (unsigned)vertices, (unsigned)edges};
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        enter_source(s, queue, out_offsets, source);
    }
    bool pulls = false;
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        pulls = pull_pays(g, from, to, pulls);
        if (pulls) {
            pull(s, queue, g, seen, next, levels, level + 1);
            unsigned *other = seen;
            seen = next;
            next = other;
        } else {
            const by_bit marks = {seen, levels, level + 1};
            push(s, queue, out_offsets, out_targets, from, to, marks);
        }
        from = to;
    }
}
