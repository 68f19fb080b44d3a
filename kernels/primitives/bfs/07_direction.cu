// bfs 07: push or pull, level by level
//
// Idea     push while the frontier is small, pull while it is large (Beamer's direction-optimising search).
// Change   05's push and 06's pull over the same bits. The tail, which all blocks read alike, says how many vertices and
//          edges the frontier has, so that each block decides alone and all decide the same. A pull enters what it
//          found into the queue too, so that a push can follow.
// Expect   in graphs of a few levels a small part of the edges is ever looked at; in long ones it is 05.
// Limit    the small levels at both ends, a few microseconds each for a handful of edges: the barrier and the chain of
//          loads that depend on each other.

#include "bits.cuh"
#include "queue.cuh"

// One level from `seen` to `next`, tile by tile of BFS_PULL_VERTICES words for each warp.
static __device__ __forceinline__ void pull(search *s, entry *queue, const unsigned *out_offsets,
                                            const unsigned *in_offsets, const unsigned *in_sources,
                                            const unsigned *seen, unsigned *next, int *levels, int level,
                                            size_t vertices) {
    enum { TILE = BFS_THREADS * BFS_PULL_VERTICES };
    for (size_t tile = (size_t)blockIdx.x * TILE; tile < vertices; tile += (size_t)gridDim.x * TILE) {
        row rows[BFS_PULL_VERTICES];
        int found = 0;
#pragma unroll
        for (int i = 0; i < BFS_PULL_VERTICES; i++) {
            size_t v = tile + i * BFS_THREADS + threadIdx.x, word = (v - kz_lane()) / KZ_WARP;
            bool there = v - kz_lane() < vertices; // the warp has a vertex, and so a word
            unsigned old = there ? seen[word] : 0;
            bool reached =
                v < vertices && !(old >> kz_lane() & 1) && has_parent(in_offsets, in_sources, seen, v);
            unsigned now = __ballot_sync(KZ_ALL_LANES, reached);
            if (there && kz_lane() == 0) next[word] = old | now;
            rows[i].begin = rows[i].count = 0;
            if (reached) {
                levels[v] = level;
                rows[i] = row_of(out_offsets, v);
            }
            found |= reached;
        }
        if (__syncthreads_or(found)) append(s, queue, rows);
    }
}

KZ_ENTRY_BOUNDS(bfs_direction_levels_i32, BFS_THREADS, BFS_WIDE_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets,
 const unsigned *in_sources, int *levels, search *s, entry *queue, unsigned *seen, unsigned *next,
 size_t vertices, size_t edges, size_t source) {
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        enter_source(s, queue, out_offsets, source);
    }
    bool pulls = false;
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        size_t count = entries_of(to) - entries_of(from), own = edges_of(to) - edges_of(from);
        size_t left = edges - edges_of(to);
        pulls = count * BFS_BETA >= vertices && (pulls || own * BFS_ALPHA > left);
        if (pulls) {
            pull(s, queue, out_offsets, in_offsets, in_sources, seen, next, levels, level + 1, vertices);
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
