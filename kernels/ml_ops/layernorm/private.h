// What the C files of layernorm share.
#ifndef LAYERNORM_PRIVATE_H
#define LAYERNORM_PRIVATE_H

#include "ml_ops/norm.h"

KZ_DECLARE_FAMILY(layernorm);
extern const norm_family layernorm_norm;
extern const kz_native_entry layernorm_natives[];

#endif
