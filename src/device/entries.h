// How many parameters the kernels of a PTX text or of machine code take. The driver can be asked too, but only by asking for one
// too many, which tools that watch it (compute-sanitizer) report as an error for every kernel.
#ifndef DEVICE_ENTRIES_H
#define DEVICE_ENTRIES_H

#include "base/base.h"

typedef struct device_entry {
    char *name;
    int params;
} device_entry;

typedef struct device_entries {
    device_entry *items;
    size_t count;
} device_entries;

// All `.entry` of the text, which need not be valid otherwise. NULL has none.
kz_status device_entries_read(const char *ptx, device_entries *entries, kz_error *error);
kz_status device_entries_add(device_entries *entries, const char *name, size_t length, int params,
                             kz_error *error);
void device_entries_free(device_entries *entries);

int device_entries_params(const device_entries *entries, const char *name); // -1: there is no such entry

#endif
