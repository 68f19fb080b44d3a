// bfs 07: push or pull, level by level
//
// Idea     push while the frontier is small, pull while it is large (Beamer's direction-optimising search).
// Change   05's push and 06's pull over the same bits. The tail, which all blocks read alike, says how many vertices and
//          edges the frontier has, so that each block decides alone and all decide the same. A pull enters what it
//          found into the queue too, so that a push can follow.
// Expect   in graphs of a few levels a small part of the edges is ever looked at; in long ones it is 05.
// Limit    the small levels at both ends, a few microseconds each for a handful of edges: the barrier and the chain of
//          loads that depend on each other.

#include "direction.cuh"

KZ_ENTRY_BOUNDS(bfs_direction_levels_i32, BFS_THREADS, BFS_WIDE_BLOCKS)
(const unsigned *out_offsets, const unsigned *out_targets, const unsigned *in_offsets,
 const unsigned *in_sources, int *levels, search *s, entry *queue, unsigned *seen, unsigned *next,
 size_t vertices, size_t edges, size_t source) {
    const graph g = {out_offsets, out_targets, in_offsets, in_sources, (unsigned)vertices, (unsigned)edges};
    unsigned long long from = 0, to;
    if (kz_thread() == 0) {
        by_bit first = {seen, levels, 0};
        first.take((unsigned)source);
        enter_source(s, queue, out_offsets, source);
    }
    bool pulls = false;
    for (int level = 0; (to = meet(s, level + 1)) != from; level++) {
        pulls = pull_pays(g, from, to, pulls);
        if (pulls) {
            pull(s, queue, g, seen, next, levels, level + 1);
            unsigned *other = seen;
            seen = next;
            next = other;
        } else {
            const by_bit marks = {seen, levels, level + 1};
            push(s, queue, out_offsets, out_targets, from, to, marks);
        }
        from = to;
    }
}
