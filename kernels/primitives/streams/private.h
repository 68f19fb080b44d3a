// What the C files of streams share.
#ifndef STREAMS_PRIVATE_H
#define STREAMS_PRIVATE_H

#include "kz/family.h"

enum { X, Y };             // the buffers, in order
enum { PINNED, PAGEABLE }; // the operations: where the buffers are
enum { N, ROUNDS };        // the axes

// x <- a * x + b: with a of 1 every round shows in the result, and no input comes out as another's.
static const float streams_a = 1.0f, streams_b = 0x1p-6f;

KZ_DECLARE_FAMILY(streams);
extern const kz_native_entry streams_natives[];

kz_status streams_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
