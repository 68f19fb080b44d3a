// Activation functions of neural networks in single precision, without a branch: for kernels whose arithmetic counts.
//
// exp2 and reciprocals are single instructions of the special function unit, with relative errors of 2^-22 and 2^-23.
// erf is formula 7.1.26 of Abramowitz and Stegun's Handbook, off by 1.5e-7 at most: the size of single precision's own
// rounding of 1 + erf. So their errors are within the bounds that the family elementwise derives. NaN stays NaN.
#ifndef KZ_ACTIVATION_CUH
#define KZ_ACTIVATION_CUH

#include "kz/kernel.cuh"

static __device__ __forceinline__ float kz_exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float kz_reciprocal_fast(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float kz_erf_fast(float x) {
    float t = kz_reciprocal_fast(1.0f + 0.3275911f * fabsf(x));
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    return copysignf(1.0f - p * t * kz_exp2_fast(-1.44269504f * x * x), x);
}

static __device__ __forceinline__ float kz_relu(float x) {
    return x < 0.0f ? 0.0f : x; // so written, NaN stays NaN
}
static __device__ __forceinline__ float kz_gelu_erf(float x) {
    float half = 0.5f * x;
    return half + half * kz_erf_fast(x * 0.70710678f);
}

// gelu_tanh and silu are both x * sigmoid(z): (1 + tanh(z / 2)) / 2 is the sigmoid of z, and this form does
// not cancel where z is negative.
static __device__ __forceinline__ float kz_gelu_tanh_z(float x) {
    return x * (1.5957691f + 0.071354814f * x * x); // 2 sqrt(2 / pi) (x + 0.044715 x^3)
}
static __device__ __forceinline__ float kz_times_sigmoid(float x, float z) {
    return x * kz_reciprocal_fast(1.0f + kz_exp2_fast(-1.44269504f * z));
}
static __device__ __forceinline__ float kz_gelu_tanh(float x) {
    return kz_times_sigmoid(x, kz_gelu_tanh_z(x));
}
static __device__ __forceinline__ float kz_silu(float x) { return kz_times_sigmoid(x, x); }

// ---- derivatives -------------------------------------------------------------------------------------
// With the functions themselves, where a backward pass wants both: they share the exponential.

struct kz_value_slope {
    float value, slope;
};

// x * cdf(x), with the normal distribution's cdf and density; one exponential, exp(-x^2 / 2), is in both.
static __device__ __forceinline__ kz_value_slope kz_gelu_erf_both(float x) {
    float t = kz_reciprocal_fast(1.0f + 0.23164190f * fabsf(x)); // 0.3275911 / sqrt(2)
    float e = kz_exp2_fast(-0.72134752f * x * x);
    float p = 0.5307027145f; // half of kz_erf_fast's
    p = p * t - 0.7265760135f;
    p = p * t + 0.7107068705f;
    p = p * t - 0.142248368f;
    p = p * t + 0.127414796f;
    float cdf = 0.5f + copysignf(0.5f - p * t * e, x);
    return {x * cdf, cdf + 0.39894228f * x * e};
}
static __device__ __forceinline__ float kz_gelu_erf_slope(float x) { return kz_gelu_erf_both(x).slope; }

static __device__ __forceinline__ kz_value_slope kz_silu_both(float x) {
    float s = kz_reciprocal_fast(1.0f + kz_exp2_fast(-1.44269504f * x));
    return {x * s, s * (1.0f + x * (1.0f - s))};
}
static __device__ __forceinline__ float kz_silu_slope(float x) { return kz_silu_both(x).slope; }

#endif
