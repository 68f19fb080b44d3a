// The buffers of one case on one device: filled, poisoned, guarded, and looked at afterwards.
//
// Each buffer lies in an allocation of its own, with guard bands before and behind it. A device that stops
// accesses out of bounds by itself gets no bands: there the allocation ends where the buffer ends.
#ifndef FAMILY_BUFFERS_H
#define FAMILY_BUFFERS_H

#include "kz/family.h"

typedef struct family_slot {
    kz_buffer what;
    uint64_t bytes;        // of the elements alone
    uint64_t front, total; // bytes before the first element, and in all
    kz_ptr base, data;     // the allocation, and the first element
    void *host;            // what it held before the run: inputs filled, outputs poisoned
    void *got;             // what it held afterwards; NULL for an input
} family_slot;

typedef struct family_buffers {
    kz_device *device;
    const kz_family *family;
    const kz_case *c;
    family_slot slots[KZ_FAMILY_BUFFERS];
    size_t count;
    family_slot workspace; // no host memory
    kz_ptr addresses[KZ_FAMILY_BUFFERS];
    bool is_too_large; // for the memory there is: why they are not open
} family_buffers;

// Memory for a buffer of the case, where the family wants it.
kz_status family_alloc(kz_device *device, const kz_family *family, const kz_case *c, uint64_t bytes,
                       kz_ptr *address, kz_error *error);

// KZ_NO_MEMORY with what was needed and what there is, before anything large is touched.
kz_status family_buffers_open(const kz_family *family, const kz_case *c, kz_device *device,
                              uint64_t workspace_bytes, family_buffers *buffers, kz_error *error);
void family_buffers_close(family_buffers *buffers);

// Makes the inputs from the seed and copies everything to the device; `garbage` fills the workspace.
kz_status family_buffers_fill(family_buffers *buffers, uint64_t seed, uint8_t garbage, kz_error *error);

// Waits for the device, reads the outputs into `got`; KZ_WRONG where a guard band or an input changed.
kz_status family_buffers_read(family_buffers *buffers, kz_error *error);

#endif
