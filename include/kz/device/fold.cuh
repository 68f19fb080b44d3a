// Folding, for the families reduce, reduce_axis, reduce_segments and warp: identity, combining, folding in a warp and
// in a block, the types.
//
// T is the element, A what is accumulated in: float for the half types, T otherwise. min and max give NaN
// where any element is NaN. An i32 sum wraps. Everything is written for any order of the elements. MEAN folds as
// SUM does; the end divides.
#ifndef KZ_FOLD_CUH
#define KZ_FOLD_CUH

#include "kz/kernel.cuh"

enum { KZ_SUM, KZ_MIN, KZ_MAX, KZ_MEAN };

// ---- identity and combining --------------------------------------------------------------------------

static __device__ __forceinline__ constexpr bool kz_fold_adds(int operation) {
    return operation == KZ_SUM || operation == KZ_MEAN;
}

// The argument only says the type.
template <int operation> static __device__ __forceinline__ float kz_fold_identity(float) {
    return kz_fold_adds(operation) ? 0.0f : __uint_as_float(operation == KZ_MIN ? 0x7f800000u : 0xff800000u);
}
template <int operation> static __device__ __forceinline__ double kz_fold_identity(double) {
    return kz_fold_adds(operation)
               ? 0.0
               : __longlong_as_double(operation == KZ_MIN ? 0x7ff0000000000000 : 0xfff0000000000000);
}
template <int operation> static __device__ __forceinline__ int kz_fold_identity(int) {
    return kz_fold_adds(operation) ? 0 : operation == KZ_MIN ? INT32_MAX : INT32_MIN;
}

template <int operation, typename A> static __device__ __forceinline__ A kz_fold_combine(A a, A b) {
    if (kz_fold_adds(operation)) return a + b;
    // a != a holds for NaN alone; where b is NaN, both comparisons fail and b is taken.
    if (operation == KZ_MIN) return a < b || a != a ? a : b;
    return a > b || a != a ? a : b;
}
template <int operation> static __device__ __forceinline__ int kz_fold_combine(int a, int b) {
    if (kz_fold_adds(operation)) return (int)((unsigned)a + (unsigned)b); // wraps, which a signed sum may not
    return operation == KZ_MIN ? min(a, b) : max(a, b);
}

// ---- folding -------------------------------------------------------------------------------------------

// The value of the lane so many above this one, or below it.
template <typename A> static __device__ __forceinline__ A kz_fold_shift_down(A value, int lanes) {
    return __shfl_down_sync(KZ_ALL_LANES, value, lanes);
}

template <typename A> static __device__ __forceinline__ A kz_fold_shift_up(A value, int lanes) {
    return __shfl_up_sync(KZ_ALL_LANES, value, lanes);
}
// The value of the lane whose number differs by this bit.
template <typename A> static __device__ __forceinline__ A kz_fold_swap(A value, int lanes) {
    return __shfl_xor_sync(KZ_ALL_LANES, value, lanes);
}

// All 32 lanes must call it; lane 0 gets the result.
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_lanes(A value) {
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        value = kz_fold_combine<operation>(value, kz_fold_shift_down(value, step));
    return value;
}

// All threads must call it, in whole warps; thread 0 gets the result. Two barriers, so that it can be called
// again.
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_block(A value) {
    __shared__ A of_warp[KZ_WARP];
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) of_warp[kz_warp()] = value;
    __syncthreads();
    if (kz_warp() == 0) {
        value = kz_lane() < kz_warps() ? of_warp[kz_lane()] : kz_fold_identity<operation>(value);
        value = kz_fold_lanes<operation>(value);
    }
    __syncthreads();
    return value;
}

// What folding n elements came to, as the operation's result.
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_conclude(A value, size_t n) {
    return operation == KZ_MEAN ? value / (A)n : value;
}

// Of two numbers; where one is NaN, the other.
template <int operation> static __device__ __forceinline__ float kz_extreme(float a, float b) {
    return operation == KZ_MIN ? fminf(a, b) : fmaxf(a, b);
}
template <int operation> static __device__ __forceinline__ double kz_extreme(double a, double b) {
    return operation == KZ_MIN ? fmin(a, b) : fmax(a, b);
}
template <int operation> static __device__ __forceinline__ int kz_extreme(int a, int b) {
    return operation == KZ_MIN ? min(a, b) : max(a, b);
}
// What counts as the extreme where there is one; integers have none.
static __device__ __forceinline__ float kz_nan(float) { return __uint_as_float(0x7fffffffu); }
static __device__ __forceinline__ double kz_nan(double) { return __longlong_as_double(0x7fffffffffffffff); }
static __device__ __forceinline__ int kz_nan(int) { return 0; }

// Of a pack: an instruction per element, and half of one to ask for NaN, two elements at a time.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A kz_pack_extreme(uint4 raw) {
    kz_pack<T> pack;
    pack.raw = raw;
    A most = (A)kz_widen(pack.at[0]);
    bool nan = false;
#pragma unroll
    for (int e = 1; e < 16 / (int)sizeof(T); e++) most = kz_extreme<operation>(most, (A)kz_widen(pack.at[e]));
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e += 2) {
        A x = (A)kz_widen(pack.at[e]), y = (A)kz_widen(pack.at[e + 1]);
        bool either = x != x || y != y;
        nan = nan || either;
    }
    return nan ? kz_nan(most) : most;
}

// A pack's elements onto a value.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A kz_fold_pack(A value, kz_pack<T> pack) {
    if constexpr (kz_fold_adds(operation)) {
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++)
            value = kz_fold_combine<operation>(value, (A)kz_widen(pack.at[e]));
        return value;
    } else {
        return kz_fold_combine<operation>(value, kz_pack_extreme<operation, T, A>(pack.raw));
    }
}

// ---- types ---------------------------------------------------------------------------------------------

// ENTRY(operation, OPERATION, type, T, A) for each type of the families.
#define KZ_FOLD_HALVES(ENTRY, operation, OPERATION)                                                          \
    ENTRY(operation, OPERATION, f16, kz_f16, float)                                                          \
    ENTRY(operation, OPERATION, bf16, kz_bf16, float)
#define KZ_FOLD_TYPES(ENTRY, operation, OPERATION)                                                           \
    ENTRY(operation, OPERATION, f32, float, float)                                                           \
    ENTRY(operation, OPERATION, f64, double, double)                                                         \
    ENTRY(operation, OPERATION, i32, int, int)                                                               \
    KZ_FOLD_HALVES(ENTRY, operation, OPERATION)
// Without the integers: for means.
#define KZ_FOLD_FLOATS(ENTRY, operation, OPERATION)                                                          \
    ENTRY(operation, OPERATION, f32, float, float)                                                           \
    ENTRY(operation, OPERATION, f64, double, double)                                                         \
    KZ_FOLD_HALVES(ENTRY, operation, OPERATION)

#endif
