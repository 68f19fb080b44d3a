// geam: a sum of two matrices, each as it is or transposed. dgmm: a matrix times a diagonal one.
#include <stdlib.h>

#include "cublas.h"

// ---- geam -----------------------------------------------------------------------------------------------

typedef struct sum {
    cublas_job job; // first
    int64_t m, n;
    cublas_scalar alpha, beta;
    cublas_matrix a, b, c;
} sum;

// c += factor matrix; with a factor of 0 the matrix is not read.
static bool add(cublas_dense *c, const cublas_matrix *matrix, cublas_number factor) {
    cublas_dense values = {0};
    if (factor == 0) return true;
    bool right = cublas_matrix_fetch(matrix, 0, c->rows, c->columns, &values);
    for (size_t j = 0; right && j < c->columns; j++)
        for (size_t i = 0; i < c->rows; i++)
            cublas_dense_set(c, i, j, cublas_dense_get(c, i, j) + factor * cublas_dense_get(&values, i, j));
    cublas_dense_free(&values);
    return right;
}

static cublas_status run_sum(cublas_job *job) {
    const sum *s = (const sum *)job;
    cublas_number alpha, beta;
    cublas_dense c = {0};
    bool right = cublas_scalar_read(&s->alpha, &alpha) && cublas_scalar_read(&s->beta, &beta) &&
                 cublas_dense_make(&c, (size_t)s->m, (size_t)s->n, cublas_is_complex(s->c.type)) &&
                 add(&c, &s->a, alpha) && add(&c, &s->b, beta) && cublas_matrix_put(&s->c, 0, &c);
    cublas_dense_free(&c);
    return right ? CUBLAS_SUCCESS : CUBLAS_EXECUTION_FAILED;
}

static cublas_status enqueue_sum_as(const char *routine, const cublas_handle *handle, sum *s,
                                    const void *alpha, const void *beta) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    if (s->m < 0 || s->n < 0 || !alpha || !beta || !cublas_matrix_fits(&s->a, s->m, s->n) ||
        !cublas_matrix_fits(&s->b, s->m, s->n) || !cublas_matrix_fits(&s->c, s->m, s->n))
        return CUBLAS_INVALID_VALUE;
    if (s->m == 0 || s->n == 0) return CUBLAS_SUCCESS;
    bool on_device = handle->pointer_mode == CUBLAS_POINTER_DEVICE;
    s->alpha = cublas_scalar_of(on_device, alpha, s->c.type);
    s->beta = cublas_scalar_of(on_device, beta, s->c.type);
    s->job.run = run_sum;
    s->job.routine = routine;
    return cublas_enqueue(handle->stream, &s->job, sizeof *s);
}
#define enqueue_sum(...) enqueue_sum_as(__func__, __VA_ARGS__)

#define GEAM(name, t, integer)                                                                               \
    CUBLAS_FUNCTION(name, cublas_handle *handle, cublas_operation ta, cublas_operation tb, integer m,        \
                    integer n, const void *alpha, const void *a, integer lda, const void *beta,              \
                    const void *b, integer ldb, void *c, integer ldc) {                                      \
        sum s = {.m = m,                                                                                     \
                 .n = n,                                                                                     \
                 .a = {.at = a, .ld = lda, .type = t, .operation = ta},                                      \
                 .b = {.at = b, .ld = ldb, .type = t, .operation = tb},                                      \
                 .c = {.at = c, .ld = ldc, .type = t}};                                                      \
        return enqueue_sum(handle, &s, alpha, beta);                                                         \
    }

// ---- dgmm -----------------------------------------------------------------------------------------------

typedef struct diagonal {
    cublas_job job; // first
    cublas_side side;
    int64_t m, n, step;
    cublas_matrix a, x, c; // x: a row of as many as the diagonal has
} diagonal;

static cublas_status run_diagonal(cublas_job *job) {
    const diagonal *d = (const diagonal *)job;
    size_t m = (size_t)d->m, n = (size_t)d->n, count = d->side == CUBLAS_LEFT ? m : n;
    cublas_dense a = {0}, x = {0};
    // A step of 0 is one factor for all; with a negative one the vector is read from its end.
    bool right =
        cublas_matrix_fetch(&d->a, 0, m, n, &a) && cublas_matrix_fetch(&d->x, 0, 1, d->step ? count : 1, &x);
    for (size_t j = 0; right && j < n; j++)
        for (size_t i = 0; i < m; i++) {
            size_t at = d->side == CUBLAS_LEFT ? i : j;
            if (d->step <= 0) at = d->step ? count - 1 - at : 0;
            cublas_dense_set(&a, i, j, cublas_dense_get(&a, i, j) * cublas_dense_get(&x, 0, at));
        }
    right = right && cublas_matrix_put(&d->c, 0, &a);
    cublas_dense_free(&a);
    cublas_dense_free(&x);
    return right ? CUBLAS_SUCCESS : CUBLAS_EXECUTION_FAILED;
}

static cublas_status enqueue_diagonal_as(const char *routine, const cublas_handle *handle, diagonal *d) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    if ((unsigned)d->side > CUBLAS_RIGHT || d->m < 0 || d->n < 0 || !cublas_matrix_fits(&d->a, d->m, d->n) ||
        !cublas_matrix_fits(&d->c, d->m, d->n))
        return CUBLAS_INVALID_VALUE;
    if (d->m == 0 || d->n == 0) return CUBLAS_SUCCESS;
    d->x.ld = d->step ? llabs(d->step) : 1;
    d->job.run = run_diagonal;
    d->job.routine = routine;
    return cublas_enqueue(handle->stream, &d->job, sizeof *d);
}
#define enqueue_diagonal(...) enqueue_diagonal_as(__func__, __VA_ARGS__)

#define DGMM(name, t, integer)                                                                               \
    CUBLAS_FUNCTION(name, cublas_handle *handle, cublas_side side, integer m, integer n, const void *a,      \
                    integer lda, const void *x, integer step, void *c, integer ldc) {                        \
        diagonal d = {.side = side,                                                                          \
                      .m = m,                                                                                \
                      .n = n,                                                                                \
                      .step = step,                                                                          \
                      .a = {.at = a, .ld = lda, .type = t},                                                  \
                      .x = {.at = x, .type = t},                                                             \
                      .c = {.at = c, .ld = ldc, .type = t}};                                                 \
        return enqueue_diagonal(handle, &d);                                                                 \
    }
#define BOTH(letter, type)                                                                                   \
    GEAM(cublas##letter##geam, type, int)                                                                    \
    GEAM(cublas##letter##geam_64, type, int64_t)                                                             \
    DGMM(cublas##letter##dgmm, type, int)                                                                    \
    DGMM(cublas##letter##dgmm_64, type, int64_t)
BOTH(S, CUBLAS_F32)
BOTH(D, CUBLAS_F64)
BOTH(C, CUBLAS_C32)
BOTH(Z, CUBLAS_C64)
