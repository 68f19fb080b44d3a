// Division by a number that is known before the launch: a multiplication and a shift (Granlund and
// Montgomery, 1994). For host and device alike, so that the host can test it.
//
// With s = ceil(log2 d) and m = ceil(2^(31 + s) / d), n / d is n * m >> (31 + s) for all n < 2^31: m is too
// large by less than d / 2^(31 + s) of itself, which n < 2^31 times makes less than the 1 / d that is missing
// to the next whole number. m has 32 bits. A divisor and its m travel as one 64-bit argument.
#ifndef PERMUTE_DIVIDE_H
#define PERMUTE_DIVIDE_H

#include <stdint.h>

#ifdef __CUDACC__
#define DIVIDE_FUNCTION static __device__ __forceinline__
#define DIVIDE_ZEROS(x) (unsigned)__clz((int)(x))
#else
#define DIVIDE_FUNCTION static inline
#define DIVIDE_ZEROS(x) ((x) ? (unsigned)__builtin_clz(x) : 32u)
#endif

typedef struct divider {
    uint32_t by, factor, shift;
} divider;

// 1 <= d < 2^31.
static inline uint64_t divider_pack(uint32_t d) {
    unsigned s = 0;
    while ((UINT64_C(1) << s) < d) s++;
    return (((UINT64_C(1) << (31 + s)) + d - 1) / d) << 32 | d;
}

DIVIDE_FUNCTION divider divider_unpack(uint64_t packed) {
    divider d = {(uint32_t)packed, (uint32_t)(packed >> 32), 0};
    d.shift = 31 + 32 - DIVIDE_ZEROS(d.by - 1);
    return d;
}

// n / d; *rest becomes n % d.
DIVIDE_FUNCTION uint32_t divide(uint32_t n, divider d, uint32_t *rest) {
    uint32_t quotient = (uint32_t)((uint64_t)n * d.factor >> d.shift);
    *rest = n - quotient * d.by;
    return quotient;
}

#endif
