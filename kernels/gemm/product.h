// What the references of all matrix products share: c = a * b in double, of factors that are floats or doubles.
#ifndef GEMM_PRODUCT_H
#define GEMM_PRODUCT_H

#include "kz/family.h"

typedef struct gemm_product {
    const float *a, *b; // m x k, k x n
    int64_t m, n, k;
    const double *a_doubles, *b_doubles; // in their place, where they are not NULL
} gemm_product;

void gemm_multiply(const gemm_product *p, double *c);

// Of each row of a, and of each column of b, the root of the sum of fourth powers. For row i and column j their product
// is an upper bound of Q, the sum of the squares of the k products (Cauchy and Schwarz): it takes no second product of
// matrices.
void gemm_sum_fourth_powers(const gemm_product *p, double *rows, double *columns);

// Rows x columns floats out of elements that lie so, or transposed; NULL where there is no memory.
float *gemm_widen(kz_type type, const void *from, int64_t rows, int64_t columns, bool transposed);

// How far sums of tensor cores, of halves and in single precision, may be from the k products' sum, before they are rounded
// to c's type; `squares` is an upper bound of Q.
//
// Products of halves are exact. A tensor core adds 4 to 16 of them and the sum so far in one step: each term is cut off
// below the largest one's 24th bit or so, and the result below its own (docs/accuracy.md). A step of 8 errs by 6 ulps of the
// partial sum at most. What is cut off has the sign of its term: over terms of both signs errors are independent, and six
// deviations are allowed, as sgemm's reference does it; where the sum S grows steadily they all go one way, and add up to a
// half of steps x ulps x S. Sums in half precision, 2^13 times coarser, are out.
double gemm_halves_bound(double k, double sum, double squares);

// Whether a sum of so many finite products may pass float's largest on its way: by the order it is infinite then, or NaN, or what
// it should be. The magnitudes' sum is at most sqrt(k Q).
bool gemm_may_overflow(double k, double squares);

#endif
