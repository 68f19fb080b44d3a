// Small floating-point formats by brute force, for the tests: every value is listed, the nearest is sought.
//
// Independent of formats.h and floats.h: decoding is by ldexp, rounding by comparing distances.
#ifndef SIM_EXEC_ORACLE_H
#define SIM_EXEC_ORACLE_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct oracle_format {
    int exponent_bits, fraction_bits;
    uint32_t largest, infinity, nan; // infinity: one past the largest where there is none
} oracle_format;

static const oracle_format oracle_f16 = {5, 10, 0x7bff, 0x7c00, 0x7fff};
static const oracle_format oracle_bf16 = {8, 7, 0x7f7f, 0x7f80, 0x7fff};
static const oracle_format oracle_tf32 = {8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
static const oracle_format oracle_e4m3 = {4, 3, 0x7e, 0x7f, 0x7f};
static const oracle_format oracle_e5m2 = {5, 2, 0x7b, 0x7c, 0x7f};

static inline double oracle_value(uint32_t code, const oracle_format *format) {
    int total = format->exponent_bits + format->fraction_bits, bias = (1 << (format->exponent_bits - 1)) - 1;
    uint32_t magnitude = code & ((1u << total) - 1);
    int exponent = (int)(magnitude >> format->fraction_bits);
    uint32_t fraction = magnitude & ((1u << format->fraction_bits) - 1);
    double size;
    if (magnitude > format->largest)
        size = magnitude == format->infinity && format->infinity != format->nan ? INFINITY : NAN;
    else if (exponent == 0)
        size = ldexp(fraction, 1 - bias - format->fraction_bits);
    else
        size = ldexp(fraction + (1u << format->fraction_bits), exponent - bias - format->fraction_bits);
    return code >> total & 1 ? -size : size;
}

typedef enum oracle_mode { TO_NEAREST, TO_ZERO, TO_MINUS, TO_PLUS, TO_AWAY } oracle_mode;

// The code of x + error, where |error| is far below the last bit of x: what was lost in computing x.
static inline uint32_t oracle_code(double x, double error, const oracle_format *format, oracle_mode mode,
                                   bool finite) {
    uint32_t sign = (uint32_t)(signbit(x) != 0) << (format->exponent_bits + format->fraction_bits);
    if (isnan(x)) return format->nan;
    if (isinf(x)) return sign | (finite ? format->largest : format->infinity);
    double size = fabs(x), lost = x < 0 ? -error : error;
    if (x == 0) return sign;
    uint32_t low = 0, high = format->largest;
    while (low < high) { // the largest code at or below size
        uint32_t middle = low + (high - low + 1) / 2;
        double value = oracle_value(middle, format);
        if (value < size || (value == size && lost >= 0))
            low = middle;
        else
            high = middle - 1;
    }
    double below = oracle_value(low, format);
    double step = low == format->largest ? below - oracle_value(low - 1, format)
                                         : oracle_value(low + 1, format) - below;
    if (below == size && lost == 0) return sign | low;
    double half = below + step / 2; // exact: one bit more than the format
    bool past = size > half || (size == half && lost > 0), tie = size == half && lost == 0;
    bool up = false;
    switch (mode) {
    case TO_NEAREST: up = past || (tie && (low & 1)); break;
    case TO_AWAY: up = past || tie; break;
    case TO_ZERO: break;
    case TO_MINUS: up = sign != 0; break;
    case TO_PLUS: up = sign == 0; break;
    }
    uint32_t code = low + up;
    if (code > format->largest) code = finite ? format->largest : format->infinity;
    return sign | code;
}

static inline double oracle_sum_error(double x, double y, double s) { // x + y - s, exactly
    double part = s - x;
    return (x - (s - part)) + (y - part);
}

static inline float oracle_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, 4);
    return value;
}
static inline double oracle_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
// NaN is the one NVIDIA gives.
static inline uint64_t oracle_bits_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return isnan(value) ? 0x7fffffffu : bits;
}
static inline uint64_t oracle_bits_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}
static inline float oracle_flush(float value) {
    return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

#endif
