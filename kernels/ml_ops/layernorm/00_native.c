// layernorm 00: plain C on the `cpu` device
//
// Idea     the formulas, in double (ml_ops/norm_native.c); each block of the grid takes a run of neighbouring rows, or, for
//          dgamma and dbeta, of columns.
// Change   none: it stands before the ladder.
// Expect   bound by the chain of dependent additions and the conversion of half types, not by memory.
#include "private.h"

#define NATIVE(type, TYPE)                                                                                   \
    static void forward_##type(const kz_native_launch *launch) {                                             \
        norm_native_forward(&layernorm_norm, launch, TYPE, NORM_FORWARD);                                    \
    }                                                                                                        \
    static void residual_##type(const kz_native_launch *launch) {                                            \
        norm_native_forward(&layernorm_norm, launch, TYPE, NORM_RESIDUAL);                                   \
    }                                                                                                        \
    static void fp8_##type(const kz_native_launch *launch) {                                                 \
        norm_native_forward(&layernorm_norm, launch, TYPE, NORM_FP8);                                        \
    }                                                                                                        \
    static void backward_##type(const kz_native_launch *launch) {                                            \
        norm_native_backward(&layernorm_norm, launch, TYPE);                                                 \
    }                                                                                                        \
    static void down_##type(const kz_native_launch *launch) {                                                \
        norm_native_down(&layernorm_norm, launch, TYPE);                                                     \
    }
NATIVE(f32, KZ_F32)
NATIVE(f16, KZ_F16)
NATIVE(bf16, KZ_BF16)

#define ENTRIES(type)                                                                                        \
    {"layernorm_native_forward_" #type, forward_##type},                                                     \
        {"layernorm_native_residual_" #type, residual_##type}, {"layernorm_native_fp8_" #type, fp8_##type},  \
        {"layernorm_native_backward_" #type, backward_##type}, {                                             \
        "layernorm_native_down_backward_" #type, down_##type                                                 \
    }

const kz_native_entry layernorm_natives[] = {ENTRIES(f32), ENTRIES(f16), ENTRIES(bf16), {0}};
