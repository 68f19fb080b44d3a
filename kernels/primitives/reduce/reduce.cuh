// reduce: what the variants share: identity, combining, folding in a warp and a block, the atomic cell.
//
// T is the element, A what is accumulated in: float for the half types, T otherwise. min and max give NaN
// where any element is NaN. An i32 sum wraps. Everything is written for any order of the elements.
#ifndef REDUCE_CUH
#define REDUCE_CUH

#include "kz/kernel.cuh"

enum { SUM, MIN, MAX };

// ---- identity and combining --------------------------------------------------------------------------

// The argument only says the type.
template <int operation> static __device__ __forceinline__ float identity(float) {
    return operation == SUM ? 0.0f : __uint_as_float(operation == MIN ? 0x7f800000u : 0xff800000u);
}
template <int operation> static __device__ __forceinline__ double identity(double) {
    return operation == SUM
               ? 0.0
               : __longlong_as_double(operation == MIN ? 0x7ff0000000000000 : 0xfff0000000000000);
}
template <int operation> static __device__ __forceinline__ int identity(int) {
    return operation == SUM ? 0 : operation == MIN ? INT32_MAX : INT32_MIN;
}

template <int operation, typename A> static __device__ __forceinline__ A combine(A a, A b) {
    if (operation == SUM) return a + b;
    // a != a holds for NaN alone; where b is NaN, both comparisons fail and b is taken.
    if (operation == MIN) return a < b || a != a ? a : b;
    return a > b || a != a ? a : b;
}
template <int operation> static __device__ __forceinline__ int combine(int a, int b) {
    if (operation == SUM) return (int)((unsigned)a + (unsigned)b); // wraps, which a signed sum may not
    return operation == MIN ? min(a, b) : max(a, b);
}

// ---- folding -------------------------------------------------------------------------------------------

// All 32 lanes must call it; lane 0 gets the result.
template <int operation, typename A> static __device__ __forceinline__ A fold_warp(A value) {
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        value = combine<operation>(value, __shfl_down_sync(KZ_ALL_LANES, value, step));
    return value;
}

// All threads must call it, in whole warps; thread 0 gets the result. Two barriers, so that it can be called
// again.
template <int operation, typename A> static __device__ __forceinline__ A fold_block(A value) {
    __shared__ A of_warp[KZ_WARP];
    value = fold_warp<operation>(value);
    if (kz_lane() == 0) of_warp[kz_warp()] = value;
    __syncthreads();
    if (kz_warp() == 0) {
        value = kz_lane() < kz_warps() ? of_warp[kz_lane()] : identity<operation>(value);
        value = fold_warp<operation>(value);
    }
    __syncthreads();
    return value;
}

// ---- the cell: one word of memory that many threads fold into by atomics ----------------------------------
//
// A sum's cell is the sum itself, in A. Hardware has no min and max of floats that keep NaN, so their cell is
// an unsigned key in the order of the values, and NaN the key beyond all: 0xff.. for max, 0 for min. The plan
// fills the cell with bytes 0 (sum, max) or 0xff (min): keys that no value has, which stand for "nothing
// yet".

static __device__ __forceinline__ unsigned order_key(float x) {
    unsigned bits = __float_as_uint(x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
static __device__ __forceinline__ unsigned long long order_key(double x) {
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000u;
}
static __device__ __forceinline__ unsigned order_key(int x) { return (unsigned)x ^ 0x80000000u; }

static __device__ __forceinline__ void from_key(unsigned key, float *x) {
    *x = __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key);
}
static __device__ __forceinline__ void from_key(unsigned long long key, double *x) {
    *x = __longlong_as_double((long long)(key >> 63 ? key & 0x7fffffffffffffffu : ~key));
}
static __device__ __forceinline__ void from_key(unsigned key, int *x) { *x = (int)(key ^ 0x80000000u); }

template <int operation, typename A> static __device__ __forceinline__ void fold_into(void *cell, A value) {
    if (operation == SUM) {
        atomicAdd((A *)cell, value);
        return;
    }
    auto key = order_key(value);
    if (value != value) key = operation == MAX ? ~(key ^ key) : key ^ key;
    if (operation == MIN)
        atomicMin((decltype(key) *)cell, key);
    else
        atomicMax((decltype(key) *)cell, key);
}

// One thread turns the cell into the result; not needed for a sum whose A is T: its cell is the result.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void finish(const void *cell, T *out) {
    A value = identity<operation>(A());
    if (operation == SUM) {
        value = *(const A *)cell;
    } else {
        auto key = *(const decltype(order_key(value)) *)cell;
        decltype(key) nothing = operation == MAX ? 0 : ~(decltype(key))0;
        if (key != nothing) from_key(key, &value);
    }
    kz_narrow(out, value);
}

// ---- entry points -----------------------------------------------------------------------------------------

#define REDUCE_HALVES(ENTRY, operation, OPERATION)                                                           \
    ENTRY(operation, OPERATION, f16, kz_f16, float)                                                          \
    ENTRY(operation, OPERATION, bf16, kz_bf16, float)
#define REDUCE_TYPES(ENTRY, operation, OPERATION)                                                            \
    ENTRY(operation, OPERATION, f32, float, float)                                                           \
    ENTRY(operation, OPERATION, f64, double, double)                                                         \
    ENTRY(operation, OPERATION, i32, int, int)                                                               \
    REDUCE_HALVES(ENTRY, operation, OPERATION)
// ENTRY(operation, OPERATION, type, T, A) for every operation and type of the family.
#define REDUCE_ALL(ENTRY)                                                                                    \
    REDUCE_TYPES(ENTRY, sum, SUM)                                                                            \
    REDUCE_TYPES(ENTRY, min, MIN)                                                                            \
    REDUCE_TYPES(ENTRY, max, MAX)

#define REDUCE_FINISH(operation, OPERATION, type, T, A)                                                      \
    KZ_ENTRY(reduce_finish_##operation##_##type)(const void *cell, T *out) {                                 \
        finish<OPERATION, T, A>(cell, out);                                                                  \
    }
// For the variants that fold into a cell.
#define REDUCE_ALL_FINISH                                                                                    \
    REDUCE_HALVES(REDUCE_FINISH, sum, SUM)                                                                   \
    REDUCE_TYPES(REDUCE_FINISH, min, MIN)                                                                    \
    REDUCE_TYPES(REDUCE_FINISH, max, MAX)

#endif
