// bfs 02: all vertices at every level, rows by warps
//
// Idea     32 lanes look for vertices of the level, and then walk over the rows of those found together.
// Change   a ballot says which of a warp's 32 vertices are of the level; the warp takes them one by one, each lane every
//          32nd edge.
// Expect   targets are read by whole sectors; a warp with one long row is done 32 times as fast.
// Limit    rows of a few edges leave most lanes idle (see 04); every level still looks at all vertices (see 03).

#include "bfs.cuh"

KZ_ENTRY_BOUNDS(bfs_warp_per_row_levels_i32, BFS_THREADS, BFS_BLOCKS)
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
        for (size_t first = kz_thread() - kz_lane(); first < vertices; first += kz_threads()) {
            size_t v = first + kz_lane();
            unsigned members = __ballot_sync(KZ_ALL_LANES, v < vertices && look(&levels[v]) == level);
            for (; members; members &= members - 1) {
                size_t member = first + (__ffs(members) - 1);
                unsigned end = out_offsets[member + 1];
                for (unsigned e = out_offsets[member] + kz_lane(); e < end; e += KZ_WARP) {
                    int *target = &levels[out_targets[e]];
                    if (look(target) >= 0) continue;
                    put(target, level + 1);
                    found = 1;
                }
            }
        }
        if (__syncthreads_or(found) && threadIdx.x == 0) atomicAdd(&s->tail, 1ull);
    }
}
