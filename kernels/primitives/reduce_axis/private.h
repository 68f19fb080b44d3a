// What the C files of reduce_axis share.
#ifndef REDUCE_AXIS_PRIVATE_H
#define REDUCE_AXIS_PRIVATE_H

#include "primitives/reduce/fold.h"
#include "reduce_axis.h" // the operations' numbers

enum { IN, OUT };         // the buffers, in order
enum { OUTER, N, INNER }; // the axes, in order

extern const kz_family kz_family_reduce_axis;
extern const kz_native_entry reduce_axis_natives[];

// The fold's number for a case's operation.
kz_reduce_operation reduce_axis_fold(const kz_case *c);
kz_status reduce_axis_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error);

#endif
