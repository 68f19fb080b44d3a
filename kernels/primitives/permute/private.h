// What the C files of permute share.
#ifndef PERMUTE_PRIVATE_H
#define PERMUTE_PRIVATE_H

#include "kz/family.h"

enum { IN, OUT };          // the buffers, in order
enum { PERMUTE_AXES = 4 }; // a, b, c, d of the input

// A tensor and what becomes of it. Strides are counted in elements.
typedef struct permute_shape {
    int rank;                   // at least 1
    uint64_t n[PERMUTE_AXES];   // the input's axes
    int order[PERMUTE_AXES];    // the output's axis i is the input's axis order[i]
    uint64_t in[PERMUTE_AXES];  // strides of the input's axes
    uint64_t out[PERMUTE_AXES]; // and what they are in the output
} permute_shape;

KZ_DECLARE_FAMILY(permute);
extern const kz_native_entry permute_natives[];
extern const char *const permute_orders[]; // the operations: "abcd", "abdc", ... "dcba", ends with NULL

permute_shape permute_shape_of(const kz_case *c); // all four axes
// The same permutation with as few axes as possible: axes of 1 are dropped, and those that stay neighbours in
// order become one.
permute_shape permute_merge(const permute_shape *shape);
uint64_t permute_elements(const permute_shape *shape);

kz_status permute_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
