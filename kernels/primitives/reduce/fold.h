// Folding on the host, for the families reduce, reduce_axis and reduce_segments: the right answer and how far
// a kernel may be from it (reference.c), and one step of a fold for the native variants (00_native.c).
#ifndef REDUCE_FOLD_H
#define REDUCE_FOLD_H

#include "kz/family.h"
#include "reduce.h" // the operations' numbers

// `count` elements of `in`, `stride` apart, from element `first` on.
typedef struct reduce_slice {
    const void *in;
    uint64_t first, count, stride;
} reduce_slice;

extern const char *const reduce_operations[]; // their names, in order; ends with NULL

double reduce_identity(kz_reduce_operation operation, kz_type type);
double reduce_combine(kz_reduce_operation operation, kz_type type, double a, double b);
// What folding `count` elements came to, as the operation's result: a mean divides.
double reduce_conclude(kz_reduce_operation operation, double value, uint64_t count);
double reduce_fold(kz_reduce_operation operation, kz_type type, reduce_slice slice, double *bound);

// ARGMIN and ARGMAX have an index as their second output.
static inline bool reduce_finds(const kz_case *c) { return c->operation >= KZ_REDUCE_ARGMIN; }
// The first of the extremes, NaN being one; where it stands in the slice is *index, -1 of none.
double reduce_find(kz_reduce_operation operation, kz_type type, reduce_slice slice, int64_t *index);

// What output `which` of a slice is: its value, or the index where that is the output `index_at`.
double reduce_expect(const kz_case *c, reduce_slice slice, size_t which, size_t index_at, double *bound);
// kz_family.rule: which of several extremes.
const char *reduce_rule(const kz_case *c, size_t which);

// KZ_UNSUPPORTED with a reason where `family` has no such operation of the type.
kz_status reduce_supported(const char *family, kz_reduce_operation operation, kz_type type, kz_error *error);

// X(operation, OPERATION, type, TYPE) for the floats: entries of native variants and rows of their tables.
#define REDUCE_NATIVE_FLOATS(X, operation, OPERATION)                                                        \
    X(operation, OPERATION, f32, F32)                                                                        \
    X(operation, OPERATION, f64, F64)                                                                        \
    X(operation, OPERATION, f16, F16)                                                                        \
    X(operation, OPERATION, bf16, BF16)
// For all operations and types that give a value; and for those that give an index too.
#define REDUCE_NATIVE_VALUES(X)                                                                              \
    REDUCE_NATIVE_FLOATS(X, sum, SUM)                                                                        \
    REDUCE_NATIVE_FLOATS(X, min, MIN)                                                                        \
    REDUCE_NATIVE_FLOATS(X, max, MAX)                                                                        \
    REDUCE_NATIVE_FLOATS(X, mean, MEAN)                                                                      \
    X(sum, SUM, i32, I32)                                                                                    \
    X(min, MIN, i32, I32)                                                                                    \
    X(max, MAX, i32, I32)
#define REDUCE_NATIVE_INDICES(X)                                                                             \
    REDUCE_NATIVE_FLOATS(X, argmin, ARGMIN)                                                                  \
    REDUCE_NATIVE_FLOATS(X, argmax, ARGMAX)                                                                  \
    X(argmin, ARGMIN, i32, I32)                                                                              \
    X(argmax, ARGMAX, i32, I32)

#endif
