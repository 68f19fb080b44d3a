// What the C files of reduce_segments share.
#ifndef REDUCE_SEGMENTS_PRIVATE_H
#define REDUCE_SEGMENTS_PRIVATE_H

#include "primitives/reduce/fold.h"
#include "reduce_segments.h" // the operations' numbers

enum { IN, OFFSETS, OUT };                   // the buffers, in order
enum { N, SEGMENTS, SKEW };                  // the axes, in order
enum { EQUAL, RANDOM, GIANT, EMPTY, SKEWS }; // the kinds of skew

extern const kz_family kz_family_reduce_segments;
extern const kz_native_entry reduce_segments_natives[];

// The fold's number for a case's operation.
kz_reduce_operation reduce_segments_fold(const kz_case *c);
kz_status reduce_segments_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                    double *bound, kz_error *error);

#endif
