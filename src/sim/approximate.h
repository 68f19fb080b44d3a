// 2^x and tanh(x) in double, good to 30 bits, branch-free so that loops over lanes vectorise.
//
// Rounded to f32 they are within an ulp, which is inside the bounds PTX states for ex2.approx and
// tanh.approx in f32, f16 and bf16.
#ifndef SIM_APPROXIMATE_H
#define SIM_APPROXIMATE_H

#include "sim/floats.h"

// For |x| <= 1000: a polynomial (Taylor's in x ln 2) on [-1/2, 1/2], then the exponent is added to the bits.
LANES_INLINE double power_of_2_real(double x) {
    const double shift = 0x1.8p52; // adding it rounds to an integer, held in the low bits
    double moved = x + shift;
    uint64_t whole = bits_of_f64(moved) - bits_of_f64(shift);
    double t = (x - (moved - shift)) * 0.693147180559945309417;
    double sum = 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1.0;
    sum = sum * t + 1.0;
    return f64_of_bits(bits_of_f64(sum) + (whole << 52));
}

// Past 200 the result is infinite or 0 in f32.
LANES_INLINE float power_of_2(float x) {
    float clamped = x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x;
    float power = (float)power_of_2_real((double)(x == x ? clamped : 0.0f));
    return x == x ? power : F32_NAN;
}

// (e - 1) / (e + 1) with e = exp(2x); near 0, where that cancels, the series. Past 16 it is 1 in f32.
LANES_INLINE float hyperbolic_tangent(float x) {
    float clamped = x > 16.0f ? 16.0f : x < -16.0f ? -16.0f : x;
    double real = (double)(x == x ? clamped : 0.0f), square = real * real;
    double e = power_of_2_real(real * 2.88539008177792681472);
    double far = (e - 1.0) / (e + 1.0);
    double near = real + real * square * (square * (2.0 / 15) - 1.0 / 3);
    float result = (float)(square < 0x1p-10 ? near : far);
    result = x == 0.0f ? x : result;
    return x == x ? result : F32_NAN;
}

#endif
