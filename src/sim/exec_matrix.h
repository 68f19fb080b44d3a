// What the files of matrix products share: terms, the exponents of what is no number, and the rounding of a sum.
#ifndef SIM_EXEC_MATRIX_H
#define SIM_EXEC_MATRIX_H

#include "sim/exec.h"
#include "sim/formats.h"

// Exponents of zeros, which align nothing, and of infinities and NaN. A product's exponent is a sum: one with a zero is
// below every floor, unless the other factor is no number. Sums fit in 16 bits.
enum { MATRIX_ZERO = -4096, MATRIX_NO_NUMBER = 8192 };

// Terms of a sum: a sparse A has half as many elements as B.
LANES_INLINE int matrix_terms(const matrix_product *product) { return product->k >> product->sparse; }

// Terms of a step.
LANES_INLINE int matrix_step(const matrix_product *product) {
    int terms = matrix_terms(product), most = product->how.apart ? terms / 2 : terms;
    return product->how.terms < most ? product->how.terms : most;
}

// Apart, the first two of every four elements are the first half of the terms: the place of element k among them, and the
// element at a place.
LANES_INLINE int matrix_place(bool apart, int terms, int k) {
    return apart ? (k >> 1 & 1) * (terms / 2) + (k >> 2) * 2 + (k & 1) : k;
}
LANES_INLINE int matrix_element(bool apart, int terms, int place) {
    int half = terms / 2, second = place >= half, in_half = place - second * half;
    return apart ? (in_half >> 1) * 4 + second * 2 + (in_half & 1) : place;
}

LANES_INLINE bool matrix_is_float(ptx_type type) { return ptx_type_class(type) == 'f'; }

// ---- rounding a sum, which a double holds exactly

LANES_INLINE double matrix_power(int exponent) { return f64_of_bits((uint64_t)(1023 + exponent) << 52); }

LANES_INLINE int matrix_exponent(double x, int least) { // x is not zero
    int exponent = (int)(bits_of_f64(x) >> 52 & 0x7ff) - 1023;
    return exponent < least ? least : exponent;
}

// Towards zero, to so many bits below the leading one; the exponents are those of f32. Too large is infinite.
LANES_INLINE uint32_t matrix_cut(double x, int fraction) {
    double unit = matrix_power(matrix_exponent(x, -126) - fraction);
    double cut = (double)(int64_t)(x / unit) * unit;
    if (__builtin_fabs(cut) >= 0x1p128) return cut < 0 ? 0xff800000u : 0x7f800000u;
    return cut != 0 ? bits_of_f32((float)cut) : 0; // never -0
}

LANES_INLINE uint32_t matrix_round(double x, matrix_rounding rounding) {
    if (rounding == MATRIX_F16) {
        uint32_t half = small_encode(x, &format_f16, ROUND_NEAREST, false);
        return half & 0x7fff ? half : 0; // never -0
    }
    return x != 0 ? matrix_cut(x, rounding == MATRIX_E8M13 ? 13 : 23) : 0;
}

#endif
