// f16 and bf16, rounded to nearest, ties to even. NaN stays NaN: the sign and what fits of the payload
// are kept, and it is made quiet.
#include "base/base.h"

#include <string.h>

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounds a double to a 16-bit format with `exponent_bits` and `fraction_bits` in one step.
static uint16_t narrow(double value, int exponent_bits, int fraction_bits) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << fraction_bits);
    if (exponent == 0x7ff) {
        if (fraction == 0) return sign | infinity;
        return (uint16_t)(sign | infinity | 1u << (fraction_bits - 1) | fraction >> (52 - fraction_bits));
    }
    if (exponent == 0) return sign; // zero, or a double far below half the smallest result
    int scaled = exponent - 1023 + bias;
    uint64_t whole = fraction | UINT64_C(1) << 52;
    int drop = 52 - fraction_bits;
    if (scaled < 1) { // subnormal in the result: more bits fall off
        drop += 1 - scaled;
        if (drop > 54) return sign;
        scaled = 0;
    } else {
        whole &= ~(UINT64_C(1) << 52); // the hidden bit is counted in the exponent
    }
    uint64_t kept = whole >> drop, rest = whole & ((UINT64_C(1) << drop) - 1),
             half = UINT64_C(1) << (drop - 1);
    uint64_t result = ((uint64_t)scaled << fraction_bits) + kept;
    if (rest > half || (rest == half && (kept & 1))) result++; // a carry into the exponent is right as it is
    return result >= infinity ? (uint16_t)(sign | infinity) : (uint16_t)(sign | result);
}

float base_f16_to_f32(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return bits_float(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0));
    if (exponent) return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
    float magnitude = (float)fraction * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

uint16_t base_f32_to_f16(float value) { return narrow(value, 5, 10); }
uint16_t base_f64_to_f16(double value) { return narrow(value, 5, 10); }

float base_bf16_to_f32(uint16_t bits) { return bits_float((uint32_t)bits << 16); }

uint16_t base_f32_to_bf16(float value) {
    uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

uint16_t base_f64_to_bf16(double value) { return narrow(value, 8, 7); }
