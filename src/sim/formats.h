// Rounding a double into any small floating-point format, in any direction.
//
// A format is its bits of exponent and fraction. What is rounded is exact in double: f16, bf16 and
// f32 are, and so are all small integers. Integers of 64 bits are made odd first (see exec_convert.c).
#ifndef SIM_FORMATS_H
#define SIM_FORMATS_H

#include "sim/floats.h"

typedef enum round_mode { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY } round_mode;

typedef struct small_format {
    int exponent_bits, fraction_bits;
    bool has_infinity; // e4m3 has none: its largest number has the exponent all ones
    uint32_t nan;
} small_format;

// To an integer. The magnitudes met here are below 2^53.
static inline double round_whole(double x, round_mode mode) {
    switch (mode) {
    case ROUND_ZERO: return __builtin_trunc(x);
    case ROUND_DOWN: return __builtin_floor(x);
    case ROUND_UP: return __builtin_ceil(x);
    case ROUND_AWAY: return __builtin_round(x);
    default: return __builtin_rint(x);
    }
}

static inline uint32_t small_encode(double x, const small_format *format, round_mode mode, bool finite) {
    int fraction = format->fraction_bits, bias = (1 << (format->exponent_bits - 1)) - 1;
    uint32_t sign = (uint32_t)(bits_of_f64(x) >> 63) << (format->exponent_bits + fraction);
    if (x != x) return format->nan;
    uint32_t infinity = ((1u << format->exponent_bits) - 1) << fraction;
    uint32_t largest = format->has_infinity ? infinity - 1 : format->nan - 1;
    double size = __builtin_fabs(x);
    if (size == __builtin_inf()) return finite || !format->has_infinity ? sign | largest : sign | infinity;
    // Directions are of the signed value; work on the magnitude.
    if (sign && (mode == ROUND_DOWN || mode == ROUND_UP)) mode = mode == ROUND_DOWN ? ROUND_UP : ROUND_DOWN;
    int exponent = (int)(bits_of_f64(size) >> 52) - 1023;
    if (exponent < 1 - bias) exponent = 1 - bias;
    uint64_t unit_bits = (uint64_t)(1023 + fraction - exponent) << 52; // 2^(fraction - exponent)
    uint64_t whole = (uint64_t)round_whole(size * f64_of_bits(unit_bits), mode);
    // A carry out of the fraction moves on into the exponent by itself.
    uint64_t code = ((uint64_t)(exponent + bias - 1) << fraction) + whole;
    if (code <= largest) return sign | (uint32_t)code;
    bool stays = finite || !format->has_infinity || mode == ROUND_ZERO || mode == ROUND_DOWN;
    return sign | (stays ? largest : infinity);
}

static inline double small_decode(uint32_t code, const small_format *format) {
    int fraction = format->fraction_bits, bias = (1 << (format->exponent_bits - 1)) - 1;
    uint32_t magnitude = code & ((1u << (format->exponent_bits + fraction)) - 1);
    bool negative = code >> (format->exponent_bits + fraction) & 1;
    uint32_t infinity = ((1u << format->exponent_bits) - 1) << fraction;
    double size;
    if (format->has_infinity ? magnitude > infinity : magnitude == format->nan) return (double)F32_NAN;
    if (format->has_infinity && magnitude == infinity) {
        size = __builtin_inf();
    } else {
        int exponent = (int)(magnitude >> fraction);
        uint32_t whole = magnitude & ((1u << fraction) - 1);
        if (exponent > 0)
            whole |= 1u << fraction;
        else
            exponent = 1;
        size = (double)whole * f64_of_bits((uint64_t)(1023 + exponent - bias - fraction) << 52);
    }
    return negative ? -size : size;
}

static const small_format format_f16 = {5, 10, true, 0x7fff};
static const small_format format_bf16 = {8, 7, true, 0x7fff};
static const small_format format_tf32 = {8, 10, true, 0x3ffff};
static const small_format format_e4m3 = {4, 3, false, 0x7f};
static const small_format format_e5m2 = {5, 2, true, 0x7f};

#endif
