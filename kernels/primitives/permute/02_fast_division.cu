// permute 02: division by multiplication
//
// Idea     the divisors are the same for all elements, and known before the launch.
// Change   the plan computes for each a factor and a shift (divide.h); a division is a multiplication of 32
//          bits and a shift. Indices are 32-bit numbers.
// Expect   a quarter of 01's instructions.
// Limit    fewer than 2^31 elements. Axes that stay together are still taken apart (see 03).

#include "permute.cuh"

template <typename T>
static __device__ __forceinline__ void fast_division(const T *in, T *out, uint32_t total, divider m1,
                                                     divider m2, divider m3, uint32_t s0, uint32_t s1,
                                                     uint32_t s2, uint32_t s3) {
    uint32_t i = (uint32_t)kz_thread(), x1, x2, x3;
    if (i >= total) return;
    uint32_t rest = divide(i, m3, &x3);
    rest = divide(rest, m2, &x2);
    uint32_t x0 = divide(rest, m1, &x1);
    out[i] = in[x0 * s0 + x1 * s1 + x2 * s2 + x3 * s3];
}

#define FAST_DIVISION(type, T)                                                                               \
    KZ_ENTRY(permute_fast_division_permute_##type)                                                           \
    (const T *in, T *out, uint64_t total, uint64_t m1, uint64_t m2, uint64_t m3, uint64_t s0, uint64_t s1,   \
     uint64_t s2, uint64_t s3) {                                                                             \
        fast_division(in, out, (uint32_t)total, divider_unpack(m1), divider_unpack(m2), divider_unpack(m3),  \
                      (uint32_t)s0, (uint32_t)s1, (uint32_t)s2, (uint32_t)s3);                               \
    }
PERMUTE_SIZES(FAST_DIVISION)
