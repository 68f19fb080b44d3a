// What the C files of transpose share.
#ifndef TRANSPOSE_PRIVATE_H
#define TRANSPOSE_PRIVATE_H

#include "kz/family.h"

enum { IN, OUT };       // the buffers, in order
enum { ROWS, COLUMNS }; // the axes, in order: of the input

KZ_DECLARE_FAMILY(transpose);
extern const kz_native_entry transpose_natives[];
kz_status transpose_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
