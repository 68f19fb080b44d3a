// bfs: the two ways of a level over the same bits and the same queue, for 07 and 08.
#ifndef BFS_DIRECTION_CUH
#define BFS_DIRECTION_CUH

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

#endif
