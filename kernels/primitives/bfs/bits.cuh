// bfs: a bit for each vertex, set where it was reached; used by 05, 06 and 07.
#ifndef BFS_BITS_CUH
#define BFS_BITS_CUH

#include "bfs.cuh"

// While blocks set bits, others look at them: strong accesses.
struct by_bit {
    unsigned *seen;
    int *levels, level;
    __device__ __forceinline__ bool is_new(unsigned v) const { return !(look(&seen[v / 32]) >> v % 32 & 1); }
    __device__ __forceinline__ bool take(unsigned v) const {
        unsigned bit = 1u << v % 32;
        if (atomicOr(&seen[v / 32], bit) & bit) return false;
        levels[v] = level; // nobody else writes it, and nobody reads it
        return true;
    }
};

// Whether any source of each of COUNT vertices, v, v + BFS_THREADS, ..., has its bit, of those that are asked for: in a level
// that changes none of `seen`. An edge is two loads that wait for each other, so the vertices go on side by side, EDGES
// edges at a time.
template <int COUNT, int EDGES>
static __device__ __forceinline__ void ask(const unsigned *in_offsets, const unsigned *in_sources,
                                           const unsigned *seen, unsigned v, const bool (&asked)[COUNT],
                                           bool (&found)[COUNT]) {
    unsigned at[COUNT], end[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        at[i] = asked[i] ? in_offsets[v + i * BFS_THREADS] : 0;
        end[i] = asked[i] ? in_offsets[v + i * BFS_THREADS + 1] : 0;
        found[i] = false;
    }
    for (bool open = true; open;) {
        unsigned source[COUNT][EDGES], any[COUNT] = {0};
        open = false;
#pragma unroll
        for (int i = 0; i < COUNT * EDGES; i++) { // the last edge stands in for those behind it
            unsigned c = i / EDGES, k = i % EDGES;
            if (at[c] < end[c]) source[c][k] = in_sources[min(at[c] + k, end[c] - 1)];
        }
#pragma unroll
        for (int i = 0; i < COUNT * EDGES; i++) {
            unsigned c = i / EDGES, k = i % EDGES;
            if (at[c] < end[c]) any[c] |= seen[source[c][k] / 32] >> source[c][k] % 32;
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (any[i] & 1) found[i] = true;
            at[i] = found[i] ? end[i] : at[i] + EDGES;
            open |= at[i] < end[i];
        }
    }
}

#endif
