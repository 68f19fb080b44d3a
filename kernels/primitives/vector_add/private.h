// What the C files of vector_add share.
#ifndef VECTOR_ADD_PRIVATE_H
#define VECTOR_ADD_PRIVATE_H

#include "kz/family.h"

enum { X, Y, Z }; // the buffers, in order

KZ_DECLARE_FAMILY(vector_add);
extern const kz_native_entry vector_add_natives[];
kz_status vector_add_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error);

#endif
