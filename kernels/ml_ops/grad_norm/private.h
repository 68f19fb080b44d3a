// What the C files of grad_norm share.
#ifndef GRAD_NORM_PRIVATE_H
#define GRAD_NORM_PRIVATE_H

#include "kz/family.h"

enum { X, Y }; // the buffers, in order

KZ_DECLARE_FAMILY(grad_norm);
extern const kz_native_entry grad_norm_natives[];
kz_status grad_norm_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
