// What the C files of atomics share.
#ifndef ATOMICS_PRIVATE_H
#define ATOMICS_PRIVATE_H

#include "atomics.h" // the operations' numbers
#include "kz/family.h"

// The buffers, in order: keys (append: the elements), out, and the values of max and update (append: the length).
enum { KEYS, OUT, VALUES };
enum { N, K };      // the axes
enum { PARTS = 4 }; // of an update's result: count, sum, least, greatest

KZ_DECLARE_FAMILY(atomics);
enum { ATOMICS_VARIANTS = 10 };
extern const kz_variant atomics_variants[ATOMICS_VARIANTS];
extern const kz_native_entry atomics_natives[];
extern const char *const atomics_operations[];

kz_status atomics_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
