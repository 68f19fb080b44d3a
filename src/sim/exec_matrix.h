// What the files of matrix products share: terms, and the exponents of what is no number.
#ifndef SIM_EXEC_MATRIX_H
#define SIM_EXEC_MATRIX_H

#include "sim/exec.h"
#include "sim/floats.h"

// Exponents of zeros, which align nothing, and of infinities and NaN. A product's exponent is a sum: one with a zero is
// below every floor, unless the other factor is no number. They fit in 16 bits.
enum { MATRIX_ZERO = -4096, MATRIX_NO_NUMBER = 16384 };

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

#endif
