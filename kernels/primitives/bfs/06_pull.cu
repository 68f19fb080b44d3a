// bfs 06: pull
//
// Idea     reverse the edges: who has no level asks its sources whether one of them was reached, and stops at the
//          first that was. (Beamer, Asanovic and Patterson SC12: "bottom-up".)
// Change   no queue, no atomics: a warp has 32 vertices, one word of bits. It reads the bits as they were at the level's
//          start and writes them, with those it found, to a second array; the two change places.
// Expect   in a large level few edges are looked at: where half of all vertices were reached, two on average. In a small
//          one all edges of all who are left are looked at, in vain.
// Limit    the small levels: there 05 is far better (see 07). One edge at a time for each thread: source, bit, next.

#include "bits.cuh"

KZ_ENTRY_BOUNDS(bfs_pull_levels_i32, BFS_THREADS, BFS_PULL_BLOCKS)
(const unsigned *in_offsets, const unsigned *in_sources, int *levels, search *s, unsigned *seen,
 unsigned *next, size_t vertices, size_t source) {
    unsigned long long before = 0, tail;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        atomicAdd(&s->tail, 1ull);
    }
    for (int level = 0; (tail = meet(s, level + 1)) != before; level++) {
        before = tail;
        int found = 0;
        for (size_t first = kz_thread() - kz_lane(); first < vertices; first += kz_threads()) {
            size_t v = first + kz_lane();
            unsigned old = seen[first / KZ_WARP];
            bool asked[1] = {v < vertices && !(old >> kz_lane() & 1)}, reached[1];
            ask<1, 1>(in_offsets, in_sources, seen, (unsigned)v, asked, reached);
            if (reached[0]) levels[v] = level + 1;
            unsigned now = __ballot_sync(KZ_ALL_LANES, reached[0]);
            if (kz_lane() == 0) next[first / KZ_WARP] = old | now;
            found |= now != 0;
        }
        if (__syncthreads_or(found) && threadIdx.x == 0) atomicAdd(&s->tail, 1ull);
        unsigned *other = seen;
        seen = next;
        next = other;
    }
}
