// What the references of all matrix products share: c = a * b in double, of factors that are floats.
#ifndef GEMM_PRODUCT_H
#define GEMM_PRODUCT_H

#include <stdint.h>

typedef struct gemm_product {
    const float *a, *b; // m x k, k x n
    int64_t m, n, k;
} gemm_product;

void gemm_multiply(const gemm_product *p, double *c);

// Of each row of a, and of each column of b, the root of the sum of fourth powers. For row i and column j their product
// is an upper bound of Q, the sum of the squares of the k products (Cauchy and Schwarz): it takes no second product of
// matrices.
void gemm_sum_fourth_powers(const gemm_product *p, double *rows, double *columns);

#endif
