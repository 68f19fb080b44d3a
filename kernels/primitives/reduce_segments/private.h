// What the C files of reduce_segments share.
#ifndef REDUCE_SEGMENTS_PRIVATE_H
#define REDUCE_SEGMENTS_PRIVATE_H

#include "primitives/reduce/fold.h"

enum { IN, OFFSETS, OUT, INDEX };            // the buffers, in order; index for argmin and argmax alone
enum { N, SEGMENTS, SKEW };                  // the axes, in order
enum { EQUAL, RANDOM, GIANT, EMPTY, SKEWS }; // the kinds of skew

KZ_DECLARE_FAMILY(reduce_segments);
extern const kz_native_entry reduce_segments_natives[];

kz_status reduce_segments_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                    double *bound, kz_error *error);

#endif
