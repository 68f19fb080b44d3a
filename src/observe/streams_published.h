// System fences of the kernel under way: what a block wrote before its last one, it publishes to the host by the next strong
// write. The fences are counted; of each block the number of its last one is kept, for a barrier may stand between those
// who fence and the one who writes the flag.
#ifndef OBSERVE_STREAMS_PUBLISHED_H
#define OBSERVE_STREAMS_PUBLISHED_H

#include <stdint.h>

typedef struct observe_published {
    uint32_t fences;  // so far
    uint32_t *blocks; // the last of each; NULL until there is one
} observe_published;

void observe_published_begin(observe_published *published); // a kernel
void observe_published_fence(observe_published *published, uint32_t block);
uint32_t observe_published_by(const observe_published *published, uint32_t block);
void observe_published_close(observe_published *published);

#endif
