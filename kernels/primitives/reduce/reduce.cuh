// reduce: what the variants share beside folding (kz/device/fold.cuh): the atomic cell, and the entry points.
#ifndef REDUCE_CUH
#define REDUCE_CUH

#include "kz/device/fold.cuh"

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
    if (operation == KZ_SUM) {
        atomicAdd((A *)cell, value);
        return;
    }
    auto key = order_key(value);
    if (value != value) key = operation == KZ_MAX ? ~(key ^ key) : key ^ key;
    if (operation == KZ_MIN)
        atomicMin((decltype(key) *)cell, key);
    else
        atomicMax((decltype(key) *)cell, key);
}

// One thread makes the result of the cell; not needed for a sum whose A is T: its cell is the result.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void finish(const void *cell, T *out) {
    A value = kz_fold_identity<operation>(A());
    if (operation == KZ_SUM) {
        value = *(const A *)cell;
    } else {
        auto key = *(const decltype(order_key(value)) *)cell;
        decltype(key) nothing = operation == KZ_MAX ? 0 : ~(decltype(key))0;
        if (key != nothing) from_key(key, &value);
    }
    kz_narrow(out, value);
}

// ---- entry points -----------------------------------------------------------------------------------------

// ENTRY(operation, OPERATION, type, T, A) for every operation and type of the family.
#define REDUCE_ALL(ENTRY)                                                                                    \
    KZ_FOLD_TYPES(ENTRY, sum, KZ_SUM)                                                                        \
    KZ_FOLD_TYPES(ENTRY, min, KZ_MIN)                                                                        \
    KZ_FOLD_TYPES(ENTRY, max, KZ_MAX)

#define REDUCE_FINISH(operation, OPERATION, type, T, A)                                                      \
    KZ_ENTRY(reduce_finish_##operation##_##type)(const void *cell, T *out) {                                 \
        finish<OPERATION, T, A>(cell, out);                                                                  \
    }
// For the variants that fold into a cell.
#define REDUCE_ALL_FINISH                                                                                    \
    KZ_FOLD_HALVES(REDUCE_FINISH, sum, KZ_SUM)                                                               \
    KZ_FOLD_TYPES(REDUCE_FINISH, min, KZ_MIN)                                                                \
    KZ_FOLD_TYPES(REDUCE_FINISH, max, KZ_MAX)

#endif
