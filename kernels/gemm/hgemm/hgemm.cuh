// hgemm: what its kernels share. c = a * b, sums in single precision.
//
// A kernel is named for the order in which a and b lie, a letter each: n as written (a: m x k, b: k x n), t transposed (a: k
// x m, b: n x k). An operand is K-major where k is contiguous (n for a, t for b), else MN-major. c is m x n.
#ifndef HGEMM_CUH
#define HGEMM_CUH

#include "gemm/operand.cuh"
#include "tune.h"

// X(order, a is MN-major, b is MN-major, type, In, Out) for every kernel of a variant.
#define HGEMM_ORDERS(X, suffix, type, In, Out)                                                               \
    X(nn##suffix, false, true, type, In, Out)                                                                \
    X(nt##suffix, false, false, type, In, Out)                                                               \
    X(tn##suffix, true, true, type, In, Out)                                                                 \
    X(tt##suffix, true, false, type, In, Out)
#define HGEMM_KERNELS(X)                                                                                     \
    HGEMM_ORDERS(X, , bf16, kz_bf16, kz_bf16)                                                                \
    HGEMM_ORDERS(X, , f16, kz_f16, kz_f16)                                                                   \
    HGEMM_ORDERS(X, _f32, bf16, kz_bf16, float)                                                              \
    HGEMM_ORDERS(X, _f32, f16, kz_f16, float)

// The rungs that others stand on: a row-major, b in both orders, c of the same type.
#define HGEMM_LADDER(X)                                                                                      \
    X(nn, false, true, bf16, kz_bf16, kz_bf16)                                                               \
    X(nt, false, false, bf16, kz_bf16, kz_bf16)                                                              \
    X(nn, false, true, f16, kz_f16, kz_f16)                                                                  \
    X(nt, false, false, f16, kz_f16, kz_f16)

#endif
