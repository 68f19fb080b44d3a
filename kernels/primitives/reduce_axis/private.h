// What the C files of reduce_axis share.
#ifndef REDUCE_AXIS_PRIVATE_H
#define REDUCE_AXIS_PRIVATE_H

#include "primitives/reduce/fold.h"

enum { IN, OUT, INDEX };  // the buffers, in order; index for argmin and argmax alone
enum { OUTER, N, INNER }; // the axes, in order

KZ_DECLARE_FAMILY(reduce_axis);
extern const kz_native_entry reduce_axis_natives[];

kz_status reduce_axis_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error);

#endif
