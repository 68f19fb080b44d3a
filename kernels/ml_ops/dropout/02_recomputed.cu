// dropout 02: the mask made where it is used
//
// Idea     Philox needs no state but a counter: whoever has an element's index has its bits.
// Change   one kernel; a thread makes the bits of its element in registers. No mask is written or read.
// Expect   the least traffic. But a call makes 128 bits, and 16 of them are used.
// Limit    some 60 instructions of integers per element: more than an H200 has time for (see 03).

#include "dropout.cuh"

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(dropout_recomputed_dropout_##type)                                                              \
    (const T *x, const long long *state, T *y, size_t n, size_t drop, float scale) {                         \
        size_t i = kz_thread();                                                                              \
        if (i >= n) return;                                                                                  \
        const kz_dropout_state d = kz_dropout_of(state, drop, scale);                                        \
        kz_narrow(&y[i], kz_dropout_apply(d, kz_widen(x[i]), kz_dropout_keeps_at(d, i)));                    \
    }
DROPOUT_TYPES(ENTRY)
