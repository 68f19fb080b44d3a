// Numbers of 8 bits, as memory holds them: e4m3 (no infinities, one NaN of each sign), e5m2, and signed integers.
//
// kz_narrow(&element, value) rounds a float once, to nearest even. What is beyond the largest number becomes the largest,
// infinities too; NaN stays NaN, and is 0 as an integer. kz_pack_four does it for four neighbours, the first in the lowest byte.
// kz_widen(element) of e4m3 is exact, and kz_widen_four gives four neighbours as two pairs of f16, exactly too.
#ifndef KZ_BYTE_TYPES_CUH
#define KZ_BYTE_TYPES_CUH

#include "kz/kernel.cuh"

struct kz_e4m3 {
    uint8_t bits;
};
struct kz_e5m2 {
    uint8_t bits;
};

// Codes of positive numbers are in the order of their values, so a normal number is rounded in its bits: what is carried into the
// exponent is right there. Below the least normal one, 2^least, an addition rounds: its result's ulp is the least code's value.
template <int mantissa, int least, unsigned largest>
static __device__ __forceinline__ uint8_t kz_round_to_code(float x) {
    const int dropped = 23 - mantissa;
    const unsigned scaled = (unsigned)(127 + dropped + least) << 23; // 2^(dropped + least)
    unsigned bits = __float_as_uint(x), size = bits & 0x7fffffffu;
    unsigned normal = ((size + (1u << (dropped - 1)) - 1 + (size >> dropped & 1)) >> dropped) -
                      ((unsigned)(126 + least) << mantissa);
    unsigned tiny = __float_as_uint(__uint_as_float(size) + __uint_as_float(scaled)) - scaled;
    unsigned code = size < (unsigned)(127 + least) << 23 ? tiny : min(normal, largest);
    if (size >= 0x7f800000u) code = largest; // the addition above may have carried past all bits
    return (uint8_t)(size > 0x7f800000u ? 0x7f : code | (bits >> 24 & 0x80));
}
static __device__ __forceinline__ uint8_t kz_round_to_e4m3(float x) {
    return kz_round_to_code<3, -6, 0x7e>(x);
}
static __device__ __forceinline__ uint8_t kz_round_to_e5m2(float x) {
    return kz_round_to_code<2, -14, 0x7b>(x);
}

static __device__ __forceinline__ void kz_narrow(int8_t *to, float x) {
    int wide;
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(wide) : "f"(x));
    *to = (int8_t)wide;
}
static __device__ __forceinline__ uint32_t kz_pack_four(int8_t, float x, float y, float z, float w) {
    uint32_t four;
    asm("{ .reg .b32 x, y, z, w; cvt.rni.s32.f32 x, %1; cvt.rni.s32.f32 y, %2; cvt.rni.s32.f32 z, %3; "
        "cvt.rni.s32.f32 w, %4; cvt.pack.sat.s8.s32.b32 w, w, z, 0; cvt.pack.sat.s8.s32.b32 %0, y, x, w; }"
        : "=r"(four)
        : "f"(x), "f"(y), "f"(z), "f"(w));
    return four;
}

// A code's exponent and mantissa, moved to those of a wider format, are the number times 2^(7 - bias), less so many: codes that
// have no normal exponent too.
static __device__ __forceinline__ float kz_widen(kz_e4m3 x) {
    float size = __uint_as_float((x.bits & 0x7fu) << 20) * 0x1p120f;
    if ((x.bits & 0x7f) == 0x7f) size = __uint_as_float(0x7fffffffu);
    return x.bits & 0x80 ? -size : size;
}
// sm_89 and later have an instruction for two at once.
#if __CUDA_ARCH__ >= 890
#define KZ_BYTE_FLOAT(type, name)                                                                            \
    static __device__ __forceinline__ void kz_narrow(type *to, float x) {                                    \
        uint16_t two;                                                                                        \
        asm("cvt.rn.satfinite." name "x2.f32 %0, %1, %2;" : "=h"(two) : "f"(0.0f), "f"(x));                  \
        to->bits = (uint8_t)two;                                                                             \
    }                                                                                                        \
    static __device__ __forceinline__ uint32_t kz_pack_four(type, float x, float y, float z, float w) {      \
        uint32_t four;                                                                                       \
        asm("{ .reg .b16 low, high; cvt.rn.satfinite." name "x2.f32 low, %2, %1; cvt.rn.satfinite." name     \
            "x2.f32 high, %4, %3; mov.b32 %0, {low, high}; }"                                                \
            : "=r"(four)                                                                                     \
            : "f"(x), "f"(y), "f"(z), "f"(w));                                                               \
        return four;                                                                                         \
    }
KZ_BYTE_FLOAT(kz_e4m3, "e4m3")
KZ_BYTE_FLOAT(kz_e5m2, "e5m2")
#undef KZ_BYTE_FLOAT
static __device__ __forceinline__ void kz_widen_four(kz_e4m3, uint32_t four, uint32_t (&pairs)[2]) {
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pairs[0]) : "h"((uint16_t)four));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pairs[1]) : "h"((uint16_t)(four >> 16)));
}
#else
static __device__ __forceinline__ void kz_narrow(kz_e4m3 *to, float x) { to->bits = kz_round_to_e4m3(x); }
static __device__ __forceinline__ void kz_narrow(kz_e5m2 *to, float x) { to->bits = kz_round_to_e5m2(x); }
template <typename Byte>
static __device__ __forceinline__ uint32_t kz_pack_four(Byte, float x, float y, float z, float w) {
    Byte bytes[4];
    kz_narrow(&bytes[0], x), kz_narrow(&bytes[1], y), kz_narrow(&bytes[2], z), kz_narrow(&bytes[3], w);
    return bytes[0].bits | bytes[1].bits << 8 | bytes[2].bits << 16 | (uint32_t)bytes[3].bits << 24;
}
// Codes in the high bytes of halves; exponents and mantissas one bit lower, signs where they are; then by 2^8.
static __device__ __forceinline__ void kz_widen_four(kz_e4m3, uint32_t four, uint32_t (&pairs)[2]) {
    pairs[0] = __byte_perm(four, 0, 0x1404), pairs[1] = __byte_perm(four, 0, 0x3424);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        pairs[i] = (pairs[i] & 0x80008000u) | (pairs[i] & 0x7f007f00u) >> 1;
        asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(pairs[i]) : "r"(pairs[i]), "r"(0x5c005c00u));
    }
    uint32_t nan = ((four & 0x7f7f7f7fu) + 0x01010101u) & 0x80808080u;
    if (nan == 0) return;
    nan = (nan >> 7) * 0xffu;
    pairs[0] |= __byte_perm(nan, 0, 0x1100), pairs[1] |= __byte_perm(nan, 0, 0x3322);
}
#endif

#endif
