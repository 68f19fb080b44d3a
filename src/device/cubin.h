// What machine code says of a kernel: the ELF file that ptxas makes.
#ifndef DEVICE_CUBIN_H
#define DEVICE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct device_cubin_info {
    uint32_t registers, frame_bytes;                  // per thread
    uint32_t instructions, local_loads, local_stores; // in the text; since Volta, else 0
} device_cubin_info;
// False where the kernel is not in it.
bool device_cubin_find(const void *cubin, size_t size, const char *kernel, device_cubin_info *info);

#endif
