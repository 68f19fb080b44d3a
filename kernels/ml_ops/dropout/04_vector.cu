// dropout 04: 16 bytes per access
//
// Idea     a call's two halves belong to elements 32 apart, so that a thread may take two packs of 4 floats, and neighbouring
//          lanes neighbouring packs: every bit is used, and every access is coalesced.
// Change   a thread loads two packs of 16 bytes, makes their calls (one for floats, two for halves), and stores them.
// Expect   the instructions of a copy by packs, and 5 or so more per element for the bits: within the time that DRAM takes.
// Limit    every thread reads the seed and makes the round keys again (see 05).

#include "dropout.cuh"

template <typename T>
static __device__ __forceinline__ void drop_vector(const T *x, const long long *state, T *y, size_t n,
                                                   size_t drop, float scale) {
    size_t i = pair_at<T>(kz_thread());
    if (i >= n) return;
    bool whole = kz_aligned(x, 16) && kz_aligned(y, 16) && i / 64 * 64 + 64 <= n;
    const kz_dropout_state d = kz_dropout_of(state, drop, scale);
    pair<T> values;
    load_pair(&values, x, i, n, whole);
    drop_pair(d, i, &values);
    store_pair(y, i, values, n, whole);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(dropout_vector_dropout_##type, DROPOUT_THREADS, 1)                                       \
    (const T *x, const long long *state, T *y, size_t n, size_t drop, float scale) {                         \
        drop_vector(x, state, y, n, drop, scale);                                                            \
    }
DROPOUT_TYPES(ENTRY)
