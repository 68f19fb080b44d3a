// bfs 05: a bit per vertex
//
// Idea     the question whether a vertex was reached has one bit for an answer: 512 KB for 4 million vertices, where
//          their levels have 16 MB.
// Change   04 asks and claims bits; levels are written and never read.
// Expect   the words at random stay in L2 for any graph that fits in memory; levels cross DRAM once.
// Limit    every edge still asks. Most ask of vertices that were reached long ago (see 06).

#include "bits.cuh"
#include "queue.cuh"

KZ_ENTRY_BOUNDS(bfs_bitmap_levels_i32, BFS_THREADS, BFS_PUSH_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, int *levels, search *s, entry *queue,
 unsigned *seen, size_t source) {
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        enter_source(s, queue, out_offsets, source);
    }
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        const by_bit marks = {seen, levels, level + 1};
        push(s, queue, out_offsets, out_targets, from, to, marks);
        from = to;
    }
}
