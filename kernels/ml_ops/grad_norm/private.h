// What the C files of grad_norm share.
#ifndef GRAD_NORM_PRIVATE_H
#define GRAD_NORM_PRIVATE_H

#include "kz/family.h"
#include "ml_ops/parameters.h"

enum { OPERATION_NORM, OPERATION_CLIP };
// The buffers, in order; SCALED is the scale for norm and the coefficient for clip, which has no more.
enum { GRADIENTS, TABLE, LIST, SCALED, NORM, COEFFICIENT, NOT_FINITE };
// The axes after those of ml_ops/parameters.h. CHUNKS and MAX_NORM are no sizes that a case is named for: a public operation's list
// has so many entries, and 0 asks for those of the split; the bound's bits and 2^32, or 0 for 1.
enum { CONTROL = PARAMETERS_SPLIT + 1, CHUNKS, MAX_NORM };
// norm: a scale of 1, and another. clip: a coefficient below 1, and one of 1. A public operation's scale is as it is given.
enum { CONTROL_PLAIN, CONTROL_SCALE, CONTROL_PUBLIC, CONTROL_NOTHING = CONTROL_SCALE };

KZ_DECLARE_FAMILY(grad_norm);
extern const kz_native_entry grad_norm_natives[];

float grad_norm_max(const kz_case *c);

kz_status grad_norm_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
