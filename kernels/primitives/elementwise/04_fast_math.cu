// elementwise 04: fast math
// kz: sm 80
//
// Idea     at an H200's bandwidth a half-type element has some 28 instructions of time; 03's gelu takes more.
// Change   exp2 and reciprocal straight from the special function unit; erf by five coefficients, without a
//          branch (Abramowitz and Stegun 7.1.26, off by 1.5e-7 at most); bf16 rounded by one instruction.
// Expect   peak DRAM bandwidth for the half types too, within the same error bound as 03.
// Limit    the peak itself.

#include "unrolled.cuh"

template <int operation> struct lean {
    static __device__ __forceinline__ float at(float x, float factor) {
        if (operation == GELU_ERF) return kz_gelu_erf(x);
        if (operation == GELU_TANH) return kz_gelu_tanh(x);
        if (operation == SILU) return kz_silu(x);
        return apply<operation>(x, factor);
    }
};

#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY_BOUNDS(elementwise_fast_math_##operation##_##type, THREADS, 1)                                  \
    (const T *x, T *y, size_t n, float factor) { unrolled<lean<OPERATION>>(x, y, n, factor); }
ELEMENTWISE_ALL(ENTRY)
