// bfs 03: a frontier queue
//
// Idea     who is reached is written down; the next level reads what was written and looks at nobody else.
// Change   a queue with room for all vertices, each of which enters it once: levels are ranges of it, one after the
//          other, and it is never emptied. An exchange (compare and swap) decides who enters a target; the lanes of a
//          warp that entered one get their indices by one addition to the tail together.
// Expect   work in proportion to the edges, whatever the number of levels. An addition to one word for each warp that
//          found something.
// Limit    that word: it takes additions one at a time (see 04). A warp per row: short rows leave lanes idle, and a hub
//          keeps one warp busy (see 04).

#include "bfs.cuh"

KZ_ENTRY_BOUNDS(bfs_frontier_queue_levels_i32, BFS_THREADS, BFS_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, int *levels, search *s, unsigned *queue,
 size_t source) {
    size_t from = 0, to; // the level's range of the queue
    if (kz_thread() == 0) {
        put(&levels[source], 0);
        queue[0] = (unsigned)source;
        atomicAdd(&s->tail, 1ull);
    }
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        for (size_t i = from + kz_thread() / KZ_WARP; i < to; i += kz_threads() / KZ_WARP) {
            unsigned v = queue[i], begin = out_offsets[v], end = out_offsets[v + 1];
            for (unsigned first = begin; first < end; first += KZ_WARP) { // as often for all lanes
                unsigned target = first + kz_lane() < end ? out_targets[first + kz_lane()] : 0;
                bool mine = first + kz_lane() < end && look(&levels[target]) < 0 &&
                            atomicCAS(&levels[target], -1, level + 1) == -1;
                unsigned all = __ballot_sync(KZ_ALL_LANES, mine);
                unsigned long long index = 0;
                if (kz_lane() == 0 && all) index = atomicAdd(&s->tail, (unsigned long long)__popc(all));
                index = __shfl_sync(KZ_ALL_LANES, index, 0);
                if (mine) queue[index + __popc(all & ((1u << kz_lane()) - 1))] = target;
            }
        }
        from = to;
    }
}
