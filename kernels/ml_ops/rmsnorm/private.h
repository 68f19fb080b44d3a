// What the C files of rmsnorm share.
#ifndef RMSNORM_PRIVATE_H
#define RMSNORM_PRIVATE_H

#include "ml_ops/norm.h"

KZ_DECLARE_FAMILY(rmsnorm);
extern const norm_family rmsnorm_norm;
extern const kz_native_entry rmsnorm_natives[];

#endif
