// Bits and values of the floating-point types, as the lanes need them.
//
// NVIDIA's results that are NaN are one pattern: all ones but the sign, for f32, f16 and bf16; f64 gives the
// last source that is NaN, quiet. .ftz makes a subnormal source or result a zero of its sign; a result
// counts as subnormal by its value before rounding.
#ifndef SIM_FLOATS_H
#define SIM_FLOATS_H

#include <string.h>

#include "sim/lanes.h"

LANES_INLINE uint32_t bits_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
LANES_INLINE float f32_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
LANES_INLINE uint64_t bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
LANES_INLINE double f64_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define F32_NAN f32_of_bits(0x7fffffffu)

LANES_INLINE float f32_canonical(float x) { return x == x ? x : F32_NAN; }
LANES_INLINE float f32_flushed(float x) {
    uint32_t bits = bits_of_f32(x);
    return f32_of_bits((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
// Into [0, 1]; NaN becomes +0.
LANES_INLINE float f32_saturated(float x) {
    float least = x > 0.0f ? x : 0.0f;
    return least < 1.0f ? least : 1.0f;
}
LANES_INLINE double f64_saturated(double x) {
    double least = x > 0.0 ? x : 0.0;
    return least < 1.0 ? least : 1.0;
}

// The result of two or three sources with the NaN that the hardware chooses: the compiler may swap operands,
// so that the CPU's choice cannot be relied on.
LANES_INLINE double f64_quiet(double x) { return f64_of_bits(bits_of_f64(x) | UINT64_C(0x0008000000000000)); }
LANES_INLINE double f64_of_2(double result, double x, double y) {
    result = x == x ? result : f64_quiet(x);
    return y == y ? result : f64_quiet(y);
}
LANES_INLINE double f64_of_3(double result, double x, double y, double z) {
    result = f64_of_2(result, x, y);
    return z == z ? result : f64_quiet(z);
}

// Minimum and maximum: -0 is below +0, a NaN loses against a number.
LANES_INLINE float f32_min(float x, float y) {
    float least = x < y ? x : y;
    least = x == y ? f32_of_bits(bits_of_f32(x) | bits_of_f32(y)) : least;
    least = y == y ? least : x;
    return f32_canonical(least);
}
LANES_INLINE float f32_max(float x, float y) {
    float most = x > y ? x : y;
    most = x == y ? f32_of_bits(bits_of_f32(x) & bits_of_f32(y)) : most;
    most = y == y ? most : x;
    return f32_canonical(most);
}
LANES_INLINE double f64_min(double x, double y) {
    double least = x < y ? x : y;
    least = x == y ? f64_of_bits(bits_of_f64(x) | bits_of_f64(y)) : least;
    least = y == y ? least : x;
    return x != x && y != y ? f64_quiet(y) : least;
}
LANES_INLINE double f64_max(double x, double y) {
    double most = x > y ? x : y;
    most = x == y ? f64_of_bits(bits_of_f64(x) & bits_of_f64(y)) : most;
    most = y == y ? most : x;
    return x != x && y != y ? f64_quiet(y) : most;
}

// ---- rounding in two steps without rounding twice -----------------------------------------------------

// A result that was rounded to nearest, made odd where `error` (exact minus rounded) says it was not exact:
// a second rounding to fewer bits then gives what one rounding would have given.
LANES_INLINE float f32_odd(float rounded, float error) {
    uint32_t bits = bits_of_f32(rounded);
    bool inexact = error < 0.0f || error > 0.0f;
    bool away = (error > 0.0f) == (rounded > 0.0f);
    uint32_t step = away ? 1u : UINT32_MAX;
    return f32_of_bits(inexact && (bits & 1) == 0 ? bits + step : bits);
}
LANES_INLINE double f64_odd(double rounded, double error) {
    uint64_t bits = bits_of_f64(rounded);
    bool inexact = error < 0.0 || error > 0.0;
    bool away = (error > 0.0) == (rounded > 0.0);
    uint64_t step = away ? 1u : UINT64_MAX;
    return f64_of_bits(inexact && (bits & 1) == 0 ? bits + step : bits);
}
// What was lost in s = x + y (Knuth's two-sum).
LANES_INLINE float f32_sum_error(float x, float y, float s) {
    float part = s - x;
    return (x - (s - part)) + (y - part);
}
LANES_INLINE double f64_sum_error(double x, double y, double s) {
    double part = s - x;
    return (x - (s - part)) + (y - part);
}
// A double as a float, odd where not exact. Infinities and NaN pass.
LANES_INLINE float f32_odd_of_f64(double x) {
    float rounded = (float)x;
    uint32_t bits = bits_of_f32(rounded);
    double back = (double)rounded;
    bool inexact = back < x || back > x;
    bool away = (back < x) == !(x < 0.0);
    uint32_t step = away ? 1u : UINT32_MAX;
    return f32_of_bits(inexact && (bits & 1) == 0 ? bits + step : bits);
}

// ---- half types ---------------------------------------------------------------------------------------

LANES_INLINE float f32_of_bf16(uint16_t bits) { return f32_of_bits((uint32_t)bits << 16); }

// Nearest even; NaN is 0x7fff.
LANES_INLINE uint16_t bf16_of_f32(float value) {
    uint32_t bits = bits_of_f32(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

#ifdef __F16C__
LANES_INLINE float f32_of_f16(uint16_t bits) { return _cvtsh_ss(bits); }
LANES_INLINE uint16_t f16_of_f32(float value) {
    return value == value ? _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT) : 0x7fff;
}
#else
LANES_INLINE float f32_of_f16(uint16_t bits) { return base_f16_to_f32(bits); }
LANES_INLINE uint16_t f16_of_f32(float value) { return value == value ? base_f32_to_f16(value) : 0x7fff; }
#endif

// count is 32 (a register of halves) or 64 (a register of pairs).
LANES_INLINE void floats_of_f16(float *to, const uint16_t *from, int count) {
#ifdef __F16C__
    for (int i = 0; i < count; i += 8)
        _mm256_store_ps(to + i, _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(from + i))));
#else
    for (int i = 0; i < count; i++) to[i] = f32_of_f16(from[i]);
#endif
}
LANES_INLINE void f16_of_floats(uint16_t *to, const float *from, int count) {
#ifdef __F16C__
    for (int i = 0; i < count; i += 8) {
        __m256 value = _mm256_load_ps(from + i);
        __m256 number = _mm256_cmp_ps(value, value, _CMP_ORD_Q);
        value = _mm256_blendv_ps(_mm256_set1_ps(0.0f), value, number);
        __m128i half = _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
        __m256i wide = _mm256_castps_si256(number);
        __m128i numbers = _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
        half = _mm_or_si128(half, _mm_andnot_si128(numbers, _mm_set1_epi16(0x7fff)));
        _mm_store_si128((__m128i *)(to + i), half);
    }
#else
    for (int i = 0; i < count; i++) to[i] = f16_of_f32(from[i]);
#endif
}
LANES_INLINE void floats_of_bf16(float *to, const uint16_t *from, int count) {
    for (int i = 0; i < count; i++) to[i] = f32_of_bf16(from[i]);
}
LANES_INLINE void bf16_of_floats(uint16_t *to, const float *from, int count) {
    for (int i = 0; i < count; i++) to[i] = bf16_of_f32(from[i]);
}

#endif
