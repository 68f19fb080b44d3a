// What the C files of warp share.
#ifndef WARP_PRIVATE_H
#define WARP_PRIVATE_H

#include "kz/family.h"
#include "warp.h" // the operations' numbers

enum { IN, OUT, SECOND };              // the buffers, in order; SECOND for vote and product alone
enum { ROW = 32, MATRIX = ROW * ROW }; // elements

KZ_DECLARE_FAMILY(warp);
extern const kz_native_entry warp_natives[];

kz_status warp_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

#endif
