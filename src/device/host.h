// What the host has: memory that can back a device, processor, cores, caches.
#ifndef DEVICE_HOST_H
#define DEVICE_HOST_H

#include "base/base.h"

// Bytes that a device may allocate: what the kernel calls available, or what is left under the control
// groups' limits where that is less, minus a reserve for everybody else. `root` stands before /proc and
// /sys: "" but in tests. 0 where nothing can be read.
uint64_t device_host_memory(const char *root);

// "AMD EPYC 7B13", or the architecture where the kernel names no model.
void device_host_processor(const char *root, char *name, size_t capacity);

unsigned device_host_cores(void);                 // that this process may run on; at least 1
size_t device_host_cache_bytes(const char *root); // the last level's; 0 where unknown

#endif
