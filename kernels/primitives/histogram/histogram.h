// Kernel Zoo, an operation: how many of n elements fall into each bin.
//
//     kz_operation *histogram;
//     kz_histogram_even_open(device, KZ_F32, n, 256, 0.0, 1.0, NULL, &histogram, &error);
//     uint64_t bytes = kz_operation_workspace(histogram); // the caller's: kz_memory_alloc, any content
//     kz_histogram_even_run(histogram, NULL, in, counts, workspace, bytes, &error);
//     kz_operation_close(histogram);
//
// Types: KZ_U8, KZ_U16, KZ_U32, KZ_F32. Bins: 1 to 65536. Counts are u32 and written anew; one past 2^32 - 1
// wraps. What lies in no bin, and NaN, is not counted. All results are exact and the same in every run.
#ifndef KZ_OPS_HISTOGRAM_H
#define KZ_OPS_HISTOGRAM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_histogram_operation {
    KZ_HISTOGRAM_EVEN,
    KZ_HISTOGRAM_RANGE,
    KZ_HISTOGRAM_COUNT
} kz_histogram_operation;

enum { KZ_HISTOGRAM_MOST_BINS = 65536 };

// Even bins: x with lower <= x < upper is in bin floor((x - lower) * bins / (upper - lower)). For the integer
// types that is exact. For f32 it is done in double, (x - lower) * (bins / (upper - lower)), each of the
// three operations rounded once, and bins - 1 where that rounding reaches bins. lower and upper must be
// values of the type and finite; an integer type's upper may be one past its largest value. `variant` NULL
// takes the best known for the device and the number of bins; "01_atomic" overrides it. KZ_DETERMINISTIC:
// kz/operation.h.
KZ_API kz_status kz_histogram_even_open(kz_device *device, kz_type type, size_t n, size_t bins, double lower,
                                        double upper, const char *variant, kz_operation **operation,
                                        kz_error *error);
KZ_API kz_status kz_histogram_even_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr counts,
                                       kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

// Bins of any width: bins + 1 levels in ascending order, on the device, of type f32 for KZ_F32 and u32 for
// the integer types. Bin k holds levels[k] <= x < levels[k + 1]; of equal levels the last counts, so the bins
// between them stay empty. Levels in no order, or NaN among them, give counts that mean nothing.
KZ_API kz_status kz_histogram_range_open(kz_device *device, kz_type type, size_t n, size_t bins,
                                         const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_histogram_range_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr levels,
                                        kz_ptr counts, kz_ptr workspace, uint64_t workspace_bytes,
                                        kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
