// The product of two matrices, of which most of BLAS level 3 is made.
#include <complex.h>

#include "cublas.h"

// alpha a b, with what it is once more as the transposed one. False where memory or an operand is not there.
static bool add_product(const cublas_product *p, int64_t index, cublas_number alpha, cublas_dense *c) {
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    cublas_dense a = {0}, b = {0}, product = {0};
    bool right = cublas_matrix_fetch(&p->a, index, m, k, &a) && cublas_matrix_fetch(&p->b, index, k, n, &b);
    if (right) cublas_dense_scale(&b, alpha);
    if (right && !p->twice) cublas_dense_multiply(c, &a, &b);
    if (right && p->twice) {
        right = cublas_dense_make(&product, m, n, c->imaginary != NULL);
        if (right) cublas_dense_multiply(&product, &a, &b);
        for (size_t j = 0; right && j < n; j++)
            for (size_t i = 0; i < m; i++) {
                cublas_number other = cublas_dense_get(&product, j, i);
                if (p->c.form == CUBLAS_HERMITIAN) other = conj(other);
                cublas_dense_set(c, i, j,
                                 cublas_dense_get(c, i, j) + cublas_dense_get(&product, i, j) + other);
            }
    }
    cublas_dense_free(&a);
    cublas_dense_free(&b);
    cublas_dense_free(&product);
    return right;
}

// A Hermitian matrix has a real diagonal, whatever rounding left there.
static void make_diagonal_real(cublas_dense *c) {
    for (size_t i = 0; i < c->rows; i++) cublas_dense_set(c, i, i, creal(cublas_dense_get(c, i, i)));
}

static bool multiply_one(const cublas_product *p, int64_t index, cublas_number alpha, cublas_number beta) {
    cublas_dense c = {0};
    bool is_complex = cublas_is_complex(p->c.type);
    // With beta 0, C is not read: it may hold NaNs, or nothing yet. So it is with alpha, A and B.
    bool right = beta == 0 ? cublas_dense_make(&c, (size_t)p->m, (size_t)p->n, is_complex)
                           : cublas_matrix_fetch(&p->c, index, (size_t)p->m, (size_t)p->n, &c);
    if (right && beta != 0) cublas_dense_scale(&c, beta);
    right = right && (alpha == 0 || add_product(p, index, alpha, &c));
    if (right && p->c.form == CUBLAS_HERMITIAN) make_diagonal_real(&c);
    right = right && cublas_matrix_put(&p->c, index, &c);
    cublas_dense_free(&c);
    return right;
}

static cublas_status run(cublas_job *job) {
    const cublas_product *p = (const cublas_product *)job;
    cublas_number alpha, beta;
    if (!cublas_scalar_read(&p->alpha, &alpha) || !cublas_scalar_read(&p->beta, &beta))
        return CUBLAS_EXECUTION_FAILED;
    for (int64_t i = 0; i < p->batch; i++)
        if (!multiply_one(p, i, alpha, beta)) return CUBLAS_EXECUTION_FAILED;
    return CUBLAS_SUCCESS;
}

cublas_status cublas_multiply_as(const char *routine, const cublas_handle *handle, cublas_product *p,
                                 const void *alpha, cublas_type alpha_type, const void *beta,
                                 cublas_type beta_type) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    if (p->m < 0 || p->n < 0 || p->k < 0 || p->batch < 0 || !cublas_matrix_fits(&p->a, p->m, p->k) ||
        !cublas_matrix_fits(&p->b, p->k, p->n) || !cublas_matrix_fits(&p->c, p->m, p->n))
        return CUBLAS_INVALID_VALUE;
    if (p->m == 0 || p->n == 0 || p->batch == 0) return CUBLAS_SUCCESS;
    if (!alpha || (!beta && !p->replaces)) return CUBLAS_INVALID_VALUE;
    bool is_complex = cublas_is_complex(p->c.type);
    if (is_complex != cublas_is_complex(p->a.type) || is_complex != cublas_is_complex(p->b.type))
        return CUBLAS_NOT_SUPPORTED;
    bool on_device = handle->pointer_mode == CUBLAS_POINTER_DEVICE;
    p->alpha = cublas_scalar_of(on_device, alpha, alpha_type);
    if (!p->replaces) p->beta = cublas_scalar_of(on_device, beta, beta_type);
    p->job.run = run;
    p->job.routine = routine;
    return cublas_enqueue(handle->stream, &p->job, sizeof *p);
}
