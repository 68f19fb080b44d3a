// dropout: the types, and a thread's unit of two packs that 04 and 05 share.
#ifndef DROPOUT_CUH
#define DROPOUT_CUH

#include "kz/device/philox.cuh"
#include "tune.h"

#define DROPOUT_TYPES(X) X(f32, float) X(f16, kz_f16) X(bf16, kz_bf16)

// Two packs, 32 elements apart: of 4 floats, for which one call has the bits, or of 8 halves, for which two have.
template <typename T> struct pair { kz_pack<T> pack[2]; };

// Where pair `u` begins: those of 64 neighbouring elements follow each other, so that lanes' packs do.
template <typename T> static __device__ __forceinline__ size_t pair_at(size_t u) {
    const int PACK = 16 / sizeof(T), EACH = 32 / PACK;
    return u / EACH * 64 + u % EACH * PACK;
}

// By 16 bytes where the pair is `whole` and the arrays allow it; else one by one, and nothing from n on.
template <typename T>
static __device__ __forceinline__ void load_pair(pair<T> *to, const T *x, size_t i, size_t n, bool whole) {
    const int PACK = 16 / sizeof(T);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (whole) {
            to->pack[h] = kz_load_pack<KZ_CACHE>(x + i + h * 32);
            continue;
        }
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (i + h * 32 + e < n) to->pack[h].at[e] = x[i + h * 32 + e];
    }
}
template <typename T>
static __device__ __forceinline__ void store_pair(T *y, size_t i, const pair<T> &from, size_t n, bool whole) {
    const int PACK = 16 / sizeof(T);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (whole) {
            kz_store_pack<KZ_CACHE>(y + i + h * 32, from.pack[h]);
            continue;
        }
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (i + h * 32 + e < n) y[i + h * 32 + e] = from.pack[h].at[e];
    }
}

template <typename T>
static __device__ __forceinline__ void drop_pair(const kz_dropout_state &d, size_t i, pair<T> *values) {
    const int PACK = 16 / sizeof(T);
#pragma unroll
    for (int four = 0; four < PACK; four += 4) {
        kz_philox_block call = kz_dropout_call(d, i + four);
#pragma unroll
        for (int e = 0; e < 8; e++) {
            T *at = &values->pack[e / 4].at[four + e % 4];
            kz_narrow(at, kz_dropout_apply(d, kz_widen(*at), kz_dropout_keeps(d, call.word[e % 4], e / 4)));
        }
    }
}

#endif
