// bfs 01: all vertices at every level, a thread each
//
// Idea     a level of the search is a pass over all vertices: who was reached last tells its neighbours.
// Change   the first version. One launch for all levels: blocks stay, and meet between levels (bfs.cuh). A thread whose
//          vertex is of the level walks over its edges and marks targets that have no level yet. Several may mark the
//          same target: all of them write the same number, so a plain strong store will do and no exchange.
// Expect   vertices x levels loads of levels, for nothing mostly: a path of n vertices costs n^2.
// Limit    lanes without a vertex of the level idle beside one with a long row (see 02); the pass itself (see 03).

#include "bfs.cuh"

KZ_ENTRY_BOUNDS(bfs_thread_per_vertex_levels_i32, BFS_THREADS, BFS_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, int *levels, search *s, size_t vertices,
 size_t source) {
    unsigned long long before = 0, tail;
    if (kz_thread() == 0) {
        put(&levels[source], 0);
        atomicAdd(&s->tail, 1ull);
    }
    for (int level = 0; (tail = meet(s, level + 1)) != before; level++) {
        before = tail;
        int found = 0;
        for (size_t v = kz_thread(); v < vertices; v += kz_threads()) {
            if (look(&levels[v]) != level) continue;
            for (unsigned e = out_offsets[v]; e < out_offsets[v + 1]; e++) {
                int *target = &levels[out_targets[e]];
                if (look(target) >= 0) continue;
                put(target, level + 1);
                found = 1;
            }
        }
        if (__syncthreads_or(found) && threadIdx.x == 0) atomicAdd(&s->tail, 1ull);
    }
}
