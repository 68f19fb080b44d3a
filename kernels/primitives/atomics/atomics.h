// Kernel Zoo, an operation: many threads, few places: counting, appending, maxima, and updates under a lock.
//
//     kz_operation *operation;
//     kz_atomics_open(device, KZ_ATOMICS_COUNT, n, k, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_atomics_run(operation, NULL, keys, counts, 0, workspace, bytes, &error);
//     kz_operation_close(operation);
//
// COUNT   first: n keys (u32) below k; out[k] (u32) how often each occurs
// APPEND  first: n floats; those above 0 enter a queue, in any order, and are worked off from there: out[i] (f32) is
//         first[i] where it was in the queue, else 0; third[0] (u32) is the queue's length. k is 1
// MAX     first: n keys; third: n floats; out[k] (f32): the greatest of each key; NaN is passed over; none: NaN
// UPDATE  first: n keys; third: n values (i32); out[4 k] (i32): for each key the count, the sum (which wraps), the
//         least and the greatest; none: 0, 0, INT32_MAX, INT32_MIN
// n below 2^32. A key from k up is out of bounds. Results are the same in every run, whoever came first.
#ifndef KZ_OPS_ATOMICS_H
#define KZ_OPS_ATOMICS_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_atomics_operation {
    KZ_ATOMICS_COUNT,
    KZ_ATOMICS_APPEND,
    KZ_ATOMICS_MAX,
    KZ_ATOMICS_UPDATE,
    KZ_ATOMICS_OPERATIONS
} kz_atomics_operation;

// `variant` NULL takes the best known for device, operation and k; a name ("02_red") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_atomics_open(kz_device *device, kz_atomics_operation function, size_t n, size_t k,
                                 const char *variant, kz_operation **operation, kz_error *error);
// `third` is 0 for COUNT.
KZ_API kz_status kz_atomics_run(kz_operation *operation, kz_stream *stream, kz_ptr first, kz_ptr out,
                                kz_ptr third, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
