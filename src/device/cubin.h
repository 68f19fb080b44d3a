// What machine code says of its kernels: the ELF file that ptxas makes.
#ifndef DEVICE_CUBIN_H
#define DEVICE_CUBIN_H

#include "device/entries.h"

typedef struct device_cubin_info {
    uint32_t registers, frame_bytes;                  // per thread
    uint32_t instructions, local_loads, local_stores; // in the text; since Volta, else 0
} device_cubin_info;
// False where the kernel is not in it.
bool device_cubin_find(const void *cubin, size_t size, const char *kernel, device_cubin_info *info);

// All kernels in it and their parameters; none where it is no such file.
kz_status device_cubin_entries(const void *cubin, size_t size, device_entries *entries, kz_error *error);

#endif
