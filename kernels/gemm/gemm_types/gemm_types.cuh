// gemm_types: what its kernels share: the formats, and their elements one by one.
//
// c = a * b. An operand is K-major where k is contiguous (n for a, t for b), else MN-major. c is m x n, row-major.
#ifndef GEMM_TYPES_CUH
#define GEMM_TYPES_CUH

#include "kz/device/wgmma.cuh"
#include "scales.h"
#include "tune.h"

// As formats.c has them.
template <typename In_, typename Sum_, typename Out_, int scales, bool promote, int parts> struct format {
    typedef In_ In;
    typedef Sum_ Sum;
    typedef Out_ Out;
    enum { SCALES = scales, PROMOTE = promote, PARTS = parts };
};
typedef format<kz_tf32, float, float, SCALES_NONE, false, 1> tf32;
typedef format<kz_tf32, float, float, SCALES_NONE, false, 3> tf32x3;
typedef format<int8_t, int, int, SCALES_NONE, false, 1> int8;
typedef format<kz_e4m3, float, kz_bf16, SCALES_TENSOR, false, 1> e4m3;
typedef format<kz_e5m2, float, kz_bf16, SCALES_TENSOR, false, 1> e5m2;
typedef format<kz_e4m3, float, kz_bf16, SCALES_TENSOR, true, 1> e4m3_promoted;
typedef format<kz_e4m3, float, kz_bf16, SCALES_BLOCK, true, 1> e4m3_fine;
typedef format<double, double, double, SCALES_NONE, false, 1> f64;

// X(format, c's type): one product and no promotion; one product; sums in floats; all but
// doubles.
#define GEMM_TYPES_FP8(X)    X(e4m3, bf16) X(e5m2, bf16)
#define GEMM_TYPES_PLAIN(X)  X(tf32, f32) X(int8, i32) GEMM_TYPES_FP8(X)
#define GEMM_TYPES_SINGLE(X) GEMM_TYPES_PLAIN(X) X(e4m3_promoted, bf16) X(e4m3_fine, bf16)
#define GEMM_TYPES_FLOATS(X)                                                                                 \
    X(tf32, f32) X(tf32x3, f32) GEMM_TYPES_FP8(X) X(e4m3_promoted, bf16) X(e4m3_fine, bf16)
#define GEMM_TYPES_ALL(X) GEMM_TYPES_FLOATS(X) X(int8, i32)

// ---- one element ----------------------------------------------------------------------------------------

static __device__ __forceinline__ float value_of(kz_tf32 x) { return x.value; }
static __device__ __forceinline__ int value_of(int8_t x) { return x; }
static __device__ __forceinline__ double value_of(double x) { return x; }
// Exponent and mantissa in a float's place are 2^120 too small; denormal numbers come out right as well, the NaN does not.
static __device__ __forceinline__ float value_of(kz_e4m3 x) {
    unsigned magnitude = x.bits & 0x7f;
    float value =
        magnitude == 0x7f ? __uint_as_float(0x7fffffff) : __uint_as_float(magnitude << 20) * 0x1p120f;
    return x.bits & 0x80 ? -value : value;
}
// The upper half of an f16.
static __device__ __forceinline__ float value_of(kz_e5m2 x) {
    return kz_widen(kz_f16{(uint16_t)(x.bits << 8)});
}

#endif
