// The sum of exponentials of a row, found together with the row's largest element: what softmax, cross-entropy and attention
// fold. Float arithmetic; an exponential is a power of 2, in which results below 2^-126 become zero.
#ifndef KZ_ONLINE_SOFTMAX_CUH
#define KZ_ONLINE_SOFTMAX_CUH

#define KZ_MINUS_INFINITY __uint_as_float(0xff800000u)

// exp(x), for x <= 0 and NaN.
static __device__ __forceinline__ float kz_exp_below(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * 1.44269504f));
    return power;
}

// What a row's elements are subtracted from: its largest element, or 0 where all are -Inf, for -Inf - -Inf is NaN.
static __device__ __forceinline__ float kz_softmax_base(float max) {
    return max == KZ_MINUS_INFINITY ? 0.0f : max;
}

// The largest of some elements, and the sum of exp(x - kz_softmax_base(max)) over them. NaN is in the sum alone. An Op of the
// row frame (kz/device/row.cuh).
struct kz_online_softmax {
    struct value {
        float max, sum;
    };
    static __device__ __forceinline__ value identity(void) { return {KZ_MINUS_INFINITY, 0.0f}; }
    // Rounded products: a fused one would round one side alone, and lanes would differ in their last bits.
    static __device__ __forceinline__ value combine(value a, value b) {
        float max = fmaxf(a.max, b.max), base = kz_softmax_base(max);
        return {max, __fadd_rn(__fmul_rn(a.sum, kz_exp_below(a.max - base)),
                               __fmul_rn(b.sum, kz_exp_below(b.max - base)))};
    }
};

#endif
