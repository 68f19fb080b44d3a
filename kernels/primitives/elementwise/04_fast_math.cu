// elementwise 04: fast math
// kz: sm 80
//
// Idea     at an H200's bandwidth a half-type element has some 28 instructions of time; 03's gelu takes more.
// Change   exp2 and reciprocal straight from the special function unit; erf by five coefficients, without a
//          branch (Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most); bf16 rounded by one instruction.
// Expect   peak DRAM bandwidth for the half types too, within the same error bound as 03.
// Limit    the peak itself.

#include "unrolled.cuh"

static __device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ float reciprocal_fast(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ float erf_fast(float x) {
    float t = reciprocal_fast(1.0f + 0.3275911f * fabsf(x));
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    return copysignf(1.0f - p * t * exp2_fast(-1.44269504f * x * x), x);
}

template <int operation> struct lean {
    static __device__ __forceinline__ float at(float x, float factor) {
        if (operation == SCALE || operation == RELU) return apply<operation>(x, factor);
        if (operation == GELU_ERF) {
            float half = 0.5f * x;
            return half + half * erf_fast(x * 0.70710678f);
        }
        float z = operation == GELU_TANH ? gelu_tanh_z(x) : x;
        return x * reciprocal_fast(1.0f + exp2_fast(-1.44269504f * z));
    }
};

#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY_BOUNDS(elementwise_fast_math_##operation##_##type, THREADS, 1)                                  \
    (const T *x, T *y, size_t n, float factor) { unrolled<lean<OPERATION>>(x, y, n, factor); }
ELEMENTWISE_ALL(ENTRY)
