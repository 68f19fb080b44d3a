// See streams_published.h.
#include "observe/streams_published.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 1 << 16 }; // of more, several share a number: what is missed is a race, not an order

void observe_published_begin(observe_published *p) {
    if (p->fences && p->blocks) memset(p->blocks, 0, BLOCKS * sizeof *p->blocks);
    p->fences = 0;
}

void observe_published_fence(observe_published *p, uint32_t block) {
    if (!p->blocks) p->blocks = calloc(BLOCKS, sizeof *p->blocks);
    p->fences++;
    if (p->blocks) p->blocks[block % BLOCKS] = p->fences;
}

uint32_t observe_published_by(const observe_published *p, uint32_t block) {
    return p->blocks ? p->blocks[block % BLOCKS] : p->fences;
}

void observe_published_close(observe_published *p) {
    free(p->blocks);
    *p = (observe_published){0};
}
