// dropout 03: one call for eight elements
//
// Idea     a call has 128 bits: 16 for each of eight elements, which is p in steps of 1/65536.
// Change   a thread makes one call and does the eight elements whose bits it has.
// Expect   an eighth of the integer work.
// Limit    lanes are 4 elements apart: a request touches four times the sectors it needs, and L1 answers it again for the
//          neighbours (see 04).

#include "dropout.cuh"

template <typename T>
static __device__ __forceinline__ void drop_eight(const T *x, const long long *state, T *y, size_t n,
                                                  size_t drop, float scale) {
    size_t c = kz_thread(), first = c / 8 * 64 + c % 8 * 4;
    if (first >= n) return;
    const kz_dropout_state d = kz_dropout_of(state, drop, scale);
    kz_philox_block call = kz_dropout_call(d, first);
#pragma unroll
    for (int e = 0; e < 8; e++) {
        size_t i = first + e / 4 * 32 + e % 4;
        if (i < n)
            kz_narrow(&y[i],
                      kz_dropout_apply(d, kz_widen(x[i]), kz_dropout_keeps(d, call.word[e % 4], e / 4)));
    }
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(dropout_eight_per_call_dropout_##type)                                                          \
    (const T *x, const long long *state, T *y, size_t n, size_t drop, float scale) {                         \
        drop_eight(x, state, y, n, drop, scale);                                                             \
    }
DROPOUT_TYPES(ENTRY)
