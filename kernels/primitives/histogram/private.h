// What the C files of histogram share.
#ifndef HISTOGRAM_PRIVATE_H
#define HISTOGRAM_PRIVATE_H

#include "histogram.h" // the operations' numbers
#include "kz/family.h"

enum { IN, OUT, LEVELS }; // the buffers, in order; LEVELS for range alone
enum { AXIS_N, AXIS_BINS, AXIS_LOWER, AXIS_UPPER };

KZ_DECLARE_FAMILY(histogram);
enum { HISTOGRAM_VARIANTS = 9 };
extern const kz_variant histogram_variants[HISTOGRAM_VARIANTS];
extern const kz_native_entry histogram_natives[];

// The axes lower and upper: a number for the integer types, the bits of a float for f32.
double histogram_limit(kz_type type, int64_t axis);
int64_t histogram_axis(kz_type type, double limit);
kz_type histogram_level_type(kz_type type);

// The definition: the bin of x, or `bins` where it lies in none. `levels` as the range operation takes them.
uint64_t histogram_find(kz_histogram_operation operation, kz_type type, uint64_t bins, double lower,
                        double upper, const void *levels, double x);

bool histogram_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                    void *host);
kz_status histogram_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
