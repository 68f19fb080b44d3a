// bfs 04: load balancing, edges divided evenly
//
// Idea     the queue can count edges as it counts entries: then edge number e of a level is somebody's, and everybody
//          can take as many edges as everybody else.
// Change   an entry is a row and the number of edges before it; one addition to the tail gives both (queue.cuh). A block
//          takes tiles of 1024 edges, finds the tile's rows by a search in the queue, and its threads have 4 edges each
//          in flight. What the tile found enters the queue by one addition for the whole block.
// Expect   any shape of rows costs the same; an addition to the tail for 1024 edges, not for each warp that found somebody.
// Limit    each edge looks at a level of 4 bytes at random (see 05), and most of them in vain: in the large levels
//          nearly all targets have one already (see 06).

#include "queue.cuh"

struct by_level {
    int *levels, level;
    __device__ __forceinline__ bool is_new(unsigned v) const { return look(&levels[v]) < 0; }
    __device__ __forceinline__ bool take(unsigned v) const { return atomicCAS(&levels[v], -1, level) == -1; }
};

KZ_ENTRY_BOUNDS(bfs_load_balanced_levels_i32, BFS_THREADS, BFS_PUSH_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, int *levels, search *s, entry *queue,
 size_t source) {
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        put(&levels[source], 0);
        enter_source(s, queue, out_offsets, source);
    }
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        const by_level marks = {levels, level + 1};
        push(s, queue, out_offsets, out_targets, from, to, marks);
        from = to;
    }
}
