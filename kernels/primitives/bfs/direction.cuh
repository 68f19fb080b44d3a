// bfs: the two ways of a level over the same bits and the same queue, for 07 and 08.
#ifndef BFS_DIRECTION_CUH
#define BFS_DIRECTION_CUH

#include "bits.cuh"
#include "queue.cuh"

struct graph {
    const unsigned *out_offsets, *out_targets, *in_offsets, *in_sources;
    size_t vertices, edges;
};

// Pull from when the frontier has many edges beside those left, and as long as it has many vertices.
static __device__ __forceinline__ bool pull_pays(const graph &g, unsigned long long from,
                                                 unsigned long long to, bool pulls) {
    size_t count = entries_of(to) - entries_of(from), own = edges_of(to) - edges_of(from);
    size_t left = g.edges - edges_of(to);
    return count * BFS_BETA >= g.vertices && (pulls || own * BFS_ALPHA > left);
}

// One level from `seen` to `next`, tile by tile of BFS_PULL_VERTICES words for each warp.
static __device__ __forceinline__ void pull(search *s, entry *queue, const graph &g, const unsigned *seen,
                                            unsigned *next, int *levels, int level) {
    enum { TILE = BFS_THREADS * BFS_PULL_VERTICES };
    for (size_t tile = (size_t)blockIdx.x * TILE; tile < g.vertices; tile += (size_t)gridDim.x * TILE) {
        row rows[BFS_PULL_VERTICES];
        int found = 0;
#pragma unroll
        for (int i = 0; i < BFS_PULL_VERTICES; i++) {
            size_t v = tile + i * BFS_THREADS + threadIdx.x, word = (v - kz_lane()) / KZ_WARP;
            bool there = v - kz_lane() < g.vertices; // the warp has a vertex, and so a word
            unsigned old = there ? seen[word] : 0;
            bool reached =
                v < g.vertices && !(old >> kz_lane() & 1) && has_parent(g.in_offsets, g.in_sources, seen, v);
            unsigned now = __ballot_sync(KZ_ALL_LANES, reached);
            if (there && kz_lane() == 0) next[word] = old | now;
            rows[i].begin = rows[i].count = 0;
            if (reached) {
                levels[v] = level;
                rows[i] = row_of(g.out_offsets, v);
            }
            found |= reached;
        }
        if (__syncthreads_or(found)) append(s, queue, rows);
    }
}

#endif
