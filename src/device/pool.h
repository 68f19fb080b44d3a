// A small pool of threads that run the blocks of one grid at a time.
#ifndef DEVICE_POOL_H
#define DEVICE_POOL_H

#include "base/base.h"

typedef struct device_pool device_pool;

// `threads` counts the caller too, which works along: 1 starts no thread. Fewer are used where the system
// gives no more. NULL when out of memory.
device_pool *device_pool_open(unsigned threads);
void device_pool_close(device_pool *pool);
// Calls `work` once for each index below `count`, from several threads, and returns when all are done.
void device_pool_run(device_pool *pool, uint64_t count, void (*work)(void *context, uint64_t index),
                     void *context);

#endif
