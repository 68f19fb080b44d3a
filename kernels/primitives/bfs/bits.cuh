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

// Whether any of a vertex's sources has its bit: in a level that changes none of `seen`. Several edges are looked at
// together, for each is two loads that wait for each other.
static __device__ __forceinline__ bool has_parent(const unsigned *in_offsets, const unsigned *in_sources,
                                                  const unsigned *seen, size_t v) {
    unsigned end = in_offsets[v + 1];
    for (unsigned e = in_offsets[v]; e < end; e += BFS_PULL_EDGES) {
        unsigned source[BFS_PULL_EDGES], any = 0;
#pragma unroll
        for (int i = 0; i < BFS_PULL_EDGES; i++) source[i] = in_sources[e + i < end ? e + i : e];
#pragma unroll
        for (int i = 0; i < BFS_PULL_EDGES; i++) any |= seen[source[i] / 32] >> source[i] % 32;
        if (any & 1) return true;
    }
    return false;
}

#endif
