// bfs: the right answer: a queue, as the textbooks have it. Levels are whole numbers, so the bound is 0.
#include <stdlib.h>

#include "private.h"

void bfs_search(const uint32_t *offsets, const uint32_t *targets, uint64_t vertices, uint32_t source,
                int32_t *levels, uint32_t *queue) {
    for (uint64_t v = 0; v < vertices; v++) levels[v] = -1;
    uint64_t head = 0, tail = 0;
    levels[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            uint32_t target = targets[e];
            if (levels[target] >= 0) continue;
            levels[target] = levels[v] + 1;
            queue[tail++] = target;
        }
    }
}

kz_status bfs_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                        kz_error *error) {
    uint64_t n = (uint64_t)c->axes[VERTICES];
    if (c->axes[SOURCE] < 0 || (uint64_t)c->axes[SOURCE] >= n)
        return KZ_OK; // no vertex, or none that plans take
    int32_t *levels = malloc(n * sizeof *levels);
    uint32_t *queue = malloc(n * sizeof *queue);
    kz_status status = KZ_OK;
    if (levels && queue) {
        bfs_search(host[OUT_OFFSETS], host[OUT_TARGETS], n, (uint32_t)c->axes[SOURCE], levels, queue);
        for (uint64_t v = 0; v < n; v++) {
            expected[v] = levels[v];
            bound[v] = 0.0;
        }
    } else {
        status = KZ_NO_MEMORY;
        if (error)
            *error =
                (kz_error){KZ_NO_MEMORY, "bfs: the host has no memory for the reference's queue and levels\n"
                                         "likely: the case is too large for this machine\n"
                                         "next: --case chooses a smaller one"};
    }
    free(levels);
    free(queue);
    return status;
}
