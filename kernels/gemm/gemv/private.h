// What the C files of gemv share.
#ifndef GEMV_PRIVATE_H
#define GEMV_PRIVATE_H

#include "kz/family.h"

#include "gemv.h"

enum { W, SCALE, X, Y }; // the buffers, in order; no scales of DENSE
enum { M, N, K };        // the axes, in order

KZ_DECLARE_FAMILY(gemv);
extern const kz_native_entry gemv_natives[];

kz_status gemv_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

// Row `row` of W in double, scales included.
typedef struct gemv_matrix {
    kz_gemv_format format;
    kz_type type; // of the scales, and of DENSE
    uint64_t k;
    const void *w, *scale;
} gemv_matrix;
void gemv_read_row(const gemv_matrix *matrix, uint64_t row, double *to);

#endif
