// permute 01: one thread per element
//
// Idea     every element of the output asks where it comes from.
// Change   the first version. The index is taken apart by the output's axes, last one first, and put together
//          again with the strides that these axes have in the input.
// Expect   writes are coalesced; reads are where the last axis stays. Three divisions of 64-bit numbers per
//          element, some hundred instructions: more time than the memory takes.
// Limit    the divisions (see 02), and scattered reads (see 05).

#include "permute.cuh"

// m1, m2, m3: the output's axes but the first. s0 to s3: their strides in the input.
template <typename T>
static __device__ __forceinline__ void naive(const T *in, T *out, size_t total, size_t m1, size_t m2,
                                             size_t m3, size_t s0, size_t s1, size_t s2, size_t s3) {
    size_t i = kz_thread();
    if (i >= total) return;
    size_t x3 = i % m3, rest = i / m3;
    size_t x2 = rest % m2;
    rest /= m2;
    size_t x1 = rest % m1, x0 = rest / m1;
    out[i] = in[x0 * s0 + x1 * s1 + x2 * s2 + x3 * s3];
}

#define NAIVE(type, T)                                                                                       \
    KZ_ENTRY(permute_naive_permute_##type)                                                                   \
    (const T *in, T *out, size_t total, size_t m1, size_t m2, size_t m3, size_t s0, size_t s1, size_t s2,    \
     size_t s3) {                                                                                            \
        naive(in, out, total, m1, m2, m3, s0, s1, s2, s3);                                                   \
    }
PERMUTE_SIZES(NAIVE)
