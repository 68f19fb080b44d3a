// What the C files of elementwise share.
#ifndef ELEMENTWISE_PRIVATE_H
#define ELEMENTWISE_PRIVATE_H

#include "elementwise.h" // the operations' numbers
#include "kz/family.h"

enum { X, Y }; // the buffers, in order

KZ_DECLARE_FAMILY(elementwise);
extern const kz_native_entry elementwise_natives[];

// axes[1] is not a size: it carries the factor of scale. 0 stands for the default, so that a case is known
// by its n alone; otherwise it is 2^32 and the factor's bits.
float elementwise_get_factor(const kz_case *c);
int64_t elementwise_put_factor(float factor);

kz_status elementwise_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error);

#endif
