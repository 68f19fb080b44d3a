// What the C files of top_k share.
#ifndef TOP_K_PRIVATE_H
#define TOP_K_PRIVATE_H

#include "kz/family.h"

enum { X, VALUES, INDEX }; // the buffers, in order
enum { ROWS, COLUMNS, K }; // the axes, in order

KZ_DECLARE_FAMILY(top_k);
extern const kz_native_entry top_k_natives[];
kz_status top_k_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

#endif
