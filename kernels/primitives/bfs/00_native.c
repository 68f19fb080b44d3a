// bfs 00: plain C on the `cpu` device
//
// Idea     a queue of vertices, as the textbooks have it (reference.c).
// Change   none: it stands before the ladder.
// Expect   one core, bound by the latency of levels at random.
#include "private.h"

static void search(const kz_native_launch *launch) {
    const uint32_t *offsets = *(const uint32_t *const *)launch->args[0];
    const uint32_t *targets = *(const uint32_t *const *)launch->args[1];
    int32_t *levels = *(int32_t *const *)launch->args[2];
    uint32_t *queue = *(uint32_t *const *)launch->args[3];
    uint64_t vertices = *(const uint64_t *)launch->args[4], source = *(const uint64_t *)launch->args[5];
    bfs_search(offsets, targets, vertices, (uint32_t)source, levels, queue);
}

const kz_native_entry bfs_natives[] = {{"bfs_native_levels_i32", search}, {0}};
