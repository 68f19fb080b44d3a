// dropout 05: persistent threads
// kz: sm 80
//
// Idea     the seed and the 20 round keys are the same for all elements: read and make them once per thread.
// Change   the grid fills the GPU once, and each thread strides over the pairs of packs; it loads several pairs before it
//          uses the first. The compiler keeps the keys in registers.
// Expect   a third less integer work per call; 4 packs of 16 bytes in flight per thread. From sm_80 on, one instruction rounds
//          to bf16.
// Limit    registers: keys and packs leave room for fewer threads.

#include "dropout.cuh"

template <typename T>
static __device__ __forceinline__ void drop_stride(const T *x, const long long *state, T *y, size_t n,
                                                   size_t drop, float scale) {
    const int PAIRS = DROPOUT_PERSISTENT_PAIRS;
    const kz_dropout_state d = kz_dropout_of(state, drop, scale);
    bool aligned = kz_aligned(x, 16) && kz_aligned(y, 16);
    size_t full = aligned ? n / 64 * 64 : 0, stride = kz_threads();
    size_t u = kz_thread();
    for (; pair_at<T>(u + (PAIRS - 1) * stride) < full; u += PAIRS * stride) {
        pair<T> values[PAIRS];
#pragma unroll
        for (int p = 0; p < PAIRS; p++) load_pair(&values[p], x, pair_at<T>(u + p * stride), n, true);
#pragma unroll
        for (int p = 0; p < PAIRS; p++) {
            drop_pair(d, pair_at<T>(u + p * stride), &values[p]);
            store_pair(y, pair_at<T>(u + p * stride), values[p], n, true);
        }
    }
#pragma unroll 1
    for (; pair_at<T>(u) < n; u += stride) {
        size_t i = pair_at<T>(u);
        pair<T> values;
        load_pair(&values, x, i, n, i < full);
        drop_pair(d, i, &values);
        store_pair(y, i, values, n, i < full);
    }
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(dropout_persistent_dropout_##type, DROPOUT_THREADS, DROPOUT_PERSISTENT_BLOCKS)           \
    (const T *x, const long long *state, T *y, size_t n, size_t drop, float scale) {                         \
        drop_stride(x, state, y, n, drop, scale);                                                            \
    }
DROPOUT_TYPES(ENTRY)
