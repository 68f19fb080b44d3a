// The sum of exponentials of a row, found together with the row's largest element: what softmax, cross-entropy and attention
// fold, as Ops of the row frame. Float arithmetic; an exponential is a power of 2, in which results below 2^-126 become zero.
#ifndef KZ_ONLINE_SOFTMAX_CUH
#define KZ_ONLINE_SOFTMAX_CUH

#include "kz/device/row.cuh"

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

struct kz_row_max {
    typedef float value;
    static __device__ __forceinline__ float identity(void) { return KZ_MINUS_INFINITY; }
    static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
};
struct kz_row_sum {
    typedef float value;
    static __device__ __forceinline__ float identity(void) { return 0.0f; }
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};

// The largest of a pack, NaN aside. Of half types two at a time.
template <typename T> static __device__ __forceinline__ float kz_pack_max(const kz_pack<T> &pack) {
    float max = kz_widen(pack.at[0]);
#pragma unroll
    for (int e = 1; e < 16 / (int)sizeof(T); e++) max = fmaxf(max, kz_widen(pack.at[e]));
    return max;
}
#if __CUDA_ARCH__ >= 800
#define KZ_PACK_MAX(T, instruction)                                                                          \
    static __device__ __forceinline__ float kz_pack_max(const kz_pack<T> &pack) {                            \
        unsigned left, right;                                                                                \
        asm(instruction " %0, %1, %2;" : "=r"(left) : "r"(pack.raw.x), "r"(pack.raw.y));                     \
        asm(instruction " %0, %1, %2;" : "=r"(right) : "r"(pack.raw.z), "r"(pack.raw.w));                    \
        asm(instruction " %0, %1, %2;" : "=r"(left) : "r"(left), "r"(right));                                \
        T two[2];                                                                                            \
        memcpy(two, &left, 4);                                                                               \
        return fmaxf(kz_widen(two[0]), kz_widen(two[1]));                                                    \
    }
KZ_PACK_MAX(kz_f16, "max.f16x2")
KZ_PACK_MAX(kz_bf16, "max.bf16x2")
#undef KZ_PACK_MAX
#endif

// The largest of some elements, and the sum of exp(x - kz_softmax_base(max)) over them. NaN is in the sum alone.
struct kz_online_softmax {
    struct value {
        float max, sum;
    };
    static __device__ __forceinline__ value identity(void) { return {KZ_MINUS_INFINITY, 0.0f}; }
    // Rounded products: a fused one would round one side alone, and lanes would differ in their last bits.
    static __device__ __forceinline__ value combine(value a, value b) {
        float max = fmaxf(a.max, b.max);
        return {max, __fadd_rn(scaled(a, max), scaled(b, max))};
    }
    static __device__ __forceinline__ float scaled(value v, float max) {
        return __fmul_rn(v.sum, kz_exp_below(v.max - kz_softmax_base(max)));
    }
    // The largest of all lanes first: then a lane's sum is scaled once, and sums fold by additions.
    static __device__ __forceinline__ value fold_lanes(value v, int lanes) {
        float max = kz_row_swap_lanes<kz_row_max>(v.max, lanes);
        return {max, kz_row_swap_lanes<kz_row_sum>(scaled(v, max), lanes)};
    }
};

#endif
