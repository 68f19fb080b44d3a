// The order of a function's basic blocks: a weak topological order (Bourdoncle, 1993).
//
// Lanes of a warp that have diverged are executed lowest basic block first, so that a path that is behind catches
// up with the others where their ways join ("thread frontiers", Diamos et al., 2011). For this to
// work every basic block must come after all from which it is reached, loops aside, and a loop's basic blocks must
// lie together, before all that follows the loop: then lanes that leave a loop wait for the rest.

#include "sim/core.h"

#include <string.h>

typedef struct flow {
    const uint32_t *successors, *start;
    uint32_t *number; // visiting number in this pass; 0: not yet
    uint32_t *low;    // Tarjan
    uint32_t *
        level; // which component a basic block belongs to now; basic blocks of other components are not followed
    uint32_t *stack, stack_count;
    uint8_t *on_stack;
    uint32_t *order, filled; // filled from the back
    uint32_t clock, next_level;
    uint32_t *frame_node, *frame_edge; // the explicit stack of the depth-first search
    base_arena *arena;
    bool failed;
} flow;

// The components of the graph below `root`, restricted to basic blocks of `level` and never back into `head`.
// Emits them in reverse topological order; a component of several basic blocks is taken apart again with its
// first basic block as head, which removes the loop's back edges.
static void components(flow *f, uint32_t root, uint32_t level, uint32_t head);

static void emit_component(flow *f, const uint32_t *members, uint32_t count) {
    uint32_t head = members[0]; // the first that was reached: a loop is entered there
    for (uint32_t i = 1; i < count; i++)
        if (f->number[members[i]] < f->number[head]) head = members[i];
    if (count > 1) {
        uint32_t level = ++f->next_level;
        for (uint32_t i = 0; i < count; i++) {
            f->level[members[i]] = level;
            f->number[members[i]] = 0;
        }
        f->number[head] = ++f->clock; // never entered again inside
        for (uint32_t e = f->start[head + 1]; e-- > f->start[head];) {
            uint32_t to = f->successors[e];
            if (f->level[to] == level && f->number[to] == 0) components(f, to, level, head);
        }
        for (uint32_t i = 0; i < count; i++) // reached from the head by other ways only through it
            if (f->number[members[i]] == 0) components(f, members[i], level, head);
        f->level[head] = UINT32_MAX;
    }
    f->order[--f->filled] = head;
}

static void components(flow *f, uint32_t root, uint32_t level, uint32_t head) {
    uint32_t base = f->stack_count;
    uint32_t depth = 0;
    uint32_t *node = f->frame_node + base, *edge = f->frame_edge + base;
    node[0] = root;
    edge[0] = f->start[root + 1];
    f->number[root] = f->low[root] = ++f->clock;
    f->stack[f->stack_count++] = root;
    f->on_stack[root] = 1;
    for (;;) {
        uint32_t at = node[depth];
        if (edge[depth] > f->start[at]) {
            // Last successor first, so that the first one comes first in the reversed order.
            uint32_t to = f->successors[--edge[depth]];
            if (f->level[to] != level || to == head) continue;
            if (f->number[to] == 0) {
                depth++;
                node[depth] = to;
                edge[depth] = f->start[to + 1];
                f->number[to] = f->low[to] = ++f->clock;
                f->stack[f->stack_count++] = to;
                f->on_stack[to] = 1;
            } else if (f->on_stack[to] && f->number[to] < f->low[at]) {
                f->low[at] = f->number[to];
            }
            continue;
        }
        if (f->low[at] == f->number[at]) {
            uint32_t from = f->stack_count;
            do f->on_stack[f->stack[--from]] = 0;
            while (f->stack[from] != at);
            uint32_t count = f->stack_count - from;
            uint32_t *members = base_arena_alloc(f->arena, count * sizeof *members);
            if (!members) {
                f->failed = true;
                return;
            }
            memcpy(members, f->stack + from, count * sizeof *members);
            f->stack_count = from; // nested searches use the room above
            emit_component(f, members, count);
            if (f->failed) return;
            for (uint32_t i = 0; i < count; i++) f->level[members[i]] = UINT32_MAX;
            node[depth] = at;
        }
        if (depth == 0) return;
        uint32_t child = node[depth--];
        if (f->low[child] < f->low[node[depth]]) f->low[node[depth]] = f->low[child];
    }
}

bool sim_order_runs(base_arena *arena, const uint32_t *successors, const uint32_t *successor_start,
                    uint32_t count, uint32_t *order) {
    size_t words = (size_t)count * 6 + 8;
    uint32_t *w = base_arena_alloc(arena, words * sizeof(uint32_t) + count);
    if (!w) return false;
    flow f = {
        .successors = successors, .start = successor_start, .order = order, .filled = count, .arena = arena};
    f.number = w;
    f.low = w + count;
    f.level = w + 2 * (size_t)count;
    f.stack = w + 3 * (size_t)count;
    f.frame_node = w + 4 * (size_t)count + 1;
    f.frame_edge = w + 5 * (size_t)count + 2;
    f.on_stack = (uint8_t *)(w + words);
    components(&f, 0, 0, UINT32_MAX);
    if (f.failed) return false;
    // Runs that nothing reaches go last; they are never executed.
    uint8_t *seen = base_arena_alloc(arena, count);
    if (!seen) return false;
    uint32_t reached = count - f.filled;
    memmove(order, order + f.filled, reached * sizeof *order);
    for (uint32_t i = 0; i < reached; i++) seen[order[i]] = 1;
    for (uint32_t i = 0; i < count; i++)
        if (!seen[i]) order[reached++] = i;
    return true;
}
