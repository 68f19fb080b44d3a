// bfs 08: small levels by one block alone
//
// Idea     a level of a few hundred edges keeps one block busy, and hundreds wait at the barrier for it.
// Change   while the frontier has no more edges than a tile or two, the first block goes on alone, level after level, with a
//          barrier of its own threads. The others wait at the next meeting, where it tells them how far it came.
// Expect   the first and last levels of any search, and all levels of a long one, without the barrier of all blocks: a
//          third to a half of their time. In the large levels it is 07.
// Limit    the chain of loads in a level that wait for each other: queue, targets, bits, offsets, tail.

#include "direction.cuh"

// How far the first block came, told at a meeting: beside `search` in the workspace, for even and odd meetings.
struct progress {
    unsigned long long from;
    int level;
};

static __device__ __forceinline__ bool is_small(unsigned long long from, unsigned long long to) {
    return edges_of(to) - edges_of(from) <= BFS_ALONE;
}

KZ_ENTRY_BOUNDS(bfs_alone_levels_i32, BFS_THREADS, BFS_WIDE_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets,
 const unsigned *in_sources, int *levels, search *s, entry *queue, unsigned *seen, unsigned *next,
 size_t vertices, size_t edges, size_t source) {
    const graph g = {out_offsets, out_targets, in_offsets, in_sources, (unsigned)vertices, (unsigned)edges};
    progress *told = (progress *)(s + 1);
    __shared__ search own; // the tail, while the block is alone
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        enter_source(s, queue, out_offsets, source);
    }
    bool pulls = false;
    int level = 0;
    unsigned round = 1;
    to = meet(s, round);
    while (to != from) {
        bool alone = is_small(from, to);
        if (!alone || blockIdx.x == 0) {
            pulls = !alone && pull_pays(g, from, to, pulls);
            level++;
            if (pulls) {
                pull(s, queue, g, seen, next, levels, level);
                unsigned *other = seen;
                seen = next;
                next = other;
            } else {
                const by_bit marks = {seen, levels, level};
                if (alone && threadIdx.x == 0) own.tail = to;
                push(alone ? &own : s, queue, out_offsets, out_targets, from, to, marks,
                     alone ? 0 : blockIdx.x, alone ? 1 : gridDim.x);
            }
            from = to;
        }
        if (alone && blockIdx.x == 0) {
            __syncthreads(); // all of it is in the tail
            to = own.tail;
            __syncthreads(); // all have read it
            if (to != from && is_small(from, to)) continue;
            if (threadIdx.x == 0) {
                s->tail = to;
                told[round % 2].from = from;
                told[round % 2].level = level;
            }
        }
        to = meet(s, round + 1);
        if (alone) {
            from = *(volatile unsigned long long *)&told[round % 2].from;
            level = *(volatile int *)&told[round % 2].level;
            pulls = false;
        }
        round++;
    }
}
