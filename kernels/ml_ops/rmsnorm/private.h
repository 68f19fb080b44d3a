// What the C files of rmsnorm share.
#ifndef RMSNORM_PRIVATE_H
#define RMSNORM_PRIVATE_H

#include "kz/family.h"

enum { X, WEIGHT, Y };           // the buffers, in order
enum { ROWS, COLUMNS, EPSILON }; // axes[]; EPSILON is no size, see below

KZ_DECLARE_FAMILY(rmsnorm);
extern const kz_native_entry rmsnorm_natives[];

// axes[EPSILON] carries epsilon. 0 stands for the default, 10^-6, so that a case is known by its rows and columns alone;
// otherwise it is 2^32 and the bits of epsilon.
float rmsnorm_get_epsilon(const kz_case *c);
int64_t rmsnorm_put_epsilon(float epsilon);

kz_status rmsnorm_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
