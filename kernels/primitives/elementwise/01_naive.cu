// elementwise 01: one element per thread
//
// Idea     y[i] depends on x[i] alone: give each its own thread.
// Change   the first version.
// Expect   coalesced accesses of 4 or 2 bytes per thread: half types fill only 64 bytes of a warp's request.
// Limit    2 to 4 bytes of loads in flight per thread, and index arithmetic for each element (see 02).

#include "elementwise.cuh"

template <int operation, typename T> static __device__ void naive(const T *x, T *y, size_t n, float factor) {
    size_t i = kz_thread();
    if (i < n) kz_narrow(&y[i], apply<operation>(kz_widen(x[i]), factor));
}

#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY(elementwise_naive_##operation##_##type)(const T *x, T *y, size_t n, float factor) {             \
        naive<OPERATION>(x, y, n, factor);                                                                   \
    }
ELEMENTWISE_ALL(ENTRY)
