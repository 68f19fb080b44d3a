// What the C files of dropout share.
#ifndef DROPOUT_PRIVATE_H
#define DROPOUT_PRIVATE_H

#include "dropout.h"
#include "kz/family.h"

enum { N, DROP };     // the axes, in order
enum { X, STATE, Y }; // the buffers, in order

KZ_DECLARE_FAMILY(dropout);
extern const kz_native_entry dropout_natives[];
kz_status dropout_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
