// What the C files of saxpy share.
#ifndef SAXPY_PRIVATE_H
#define SAXPY_PRIVATE_H

#include "kz/family.h"

enum { X, Y }; // the buffers, in order

KZ_DECLARE_FAMILY(saxpy);
extern const kz_native_entry saxpy_natives[];

// axes[1] is not a size: it carries a. 0 stands for the default, so that a case is known by its n alone;
// otherwise it is 2^32 and the bits of a.
float saxpy_get_a(const kz_case *c);
int64_t saxpy_put_a(float a);

kz_status saxpy_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

#endif
