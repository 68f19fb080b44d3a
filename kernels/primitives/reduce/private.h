// What the C files of reduce share.
#ifndef REDUCE_PRIVATE_H
#define REDUCE_PRIVATE_H

#include "fold.h"

enum { IN, OUT, INDEX }; // the buffers, in order; index for argmin and argmax alone

KZ_DECLARE_FAMILY(reduce);
extern const kz_native_entry reduce_natives[];

kz_status reduce_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error);

#endif
