// trsm: solves op(A) X = alpha B or X op(A) = alpha B with a triangular A, and puts X in the place of B.
#include "cublas.h"

typedef struct solve {
    cublas_job job; // first
    cublas_side side;
    int64_t m, n, batch;
    cublas_scalar alpha;
    cublas_matrix a, b;
} solve;

// Row by row, each with those that are solved already.
static void substitute(const cublas_dense *a, cublas_dense *x, bool lower) {
    size_t n = a->rows;
    for (size_t j = 0; j < x->columns; j++)
        for (size_t step = 0; step < n; step++) {
            size_t i = lower ? step : n - 1 - step;
            cublas_number sum = cublas_dense_get(x, i, j);
            for (size_t l = lower ? 0 : i + 1; l < (lower ? i : n); l++)
                sum -= cublas_dense_get(a, i, l) * cublas_dense_get(x, l, j);
            cublas_dense_set(x, i, j, sum / cublas_dense_get(a, i, i));
        }
}

static bool solve_one(const solve *s, int64_t index, cublas_number alpha) {
    bool right_side = s->side == CUBLAS_RIGHT, is_complex = cublas_is_complex(s->b.type);
    size_t m = (size_t)s->m, n = (size_t)s->n, order = right_side ? n : m;
    bool lower = (s->a.fill == CUBLAS_LOWER) == (s->a.operation == CUBLAS_N);
    cublas_dense a = {0}, x = {0};
    // With alpha 0, neither operand is read.
    bool right = alpha == 0 ? cublas_dense_make(&x, m, n, is_complex)
                            : cublas_matrix_fetch(&s->b, index, m, n, &x) &&
                                  cublas_matrix_fetch(&s->a, index, order, order, &a);
    if (right && alpha != 0) {
        cublas_dense_scale(&x, alpha);
        // X A = B is A^T X^T = B^T.
        right = !right_side || (cublas_dense_transpose(&a, false) && cublas_dense_transpose(&x, false));
        if (right) substitute(&a, &x, lower != right_side);
        right = right && (!right_side || cublas_dense_transpose(&x, false));
    }
    right = right && cublas_matrix_put(&s->b, index, &x);
    cublas_dense_free(&a);
    cublas_dense_free(&x);
    return right;
}

static cublas_status run(cublas_job *job) {
    const solve *s = (const solve *)job;
    cublas_number alpha;
    if (!cublas_scalar_read(&s->alpha, &alpha)) return CUBLAS_EXECUTION_FAILED;
    for (int64_t i = 0; i < s->batch; i++)
        if (!solve_one(s, i, alpha)) return CUBLAS_EXECUTION_FAILED;
    return CUBLAS_SUCCESS;
}

static cublas_status enqueue_as(const char *routine, const cublas_handle *handle, solve *s, int unit,
                                const void *alpha) {
    int64_t order = s->side == CUBLAS_LEFT ? s->m : s->n;
    cublas_status status = cublas_check(handle);
    if (status) return status;
    if ((unsigned)s->side > CUBLAS_RIGHT || (unsigned)unit > 1 || s->m < 0 || s->n < 0 || s->batch < 0 ||
        !alpha || !cublas_matrix_fits(&s->a, order, order) || !cublas_matrix_fits(&s->b, s->m, s->n))
        return CUBLAS_INVALID_VALUE;
    if (s->m == 0 || s->n == 0) return CUBLAS_SUCCESS;
    s->a.form = unit ? CUBLAS_UNIT_TRIANGULAR : CUBLAS_TRIANGULAR;
    s->alpha = cublas_scalar_of(handle->pointer_mode == CUBLAS_POINTER_DEVICE, alpha, s->a.type);
    s->job.run = run;
    s->job.routine = routine;
    return cublas_enqueue(handle->stream, &s->job, sizeof *s);
}
#define enqueue(...) enqueue_as(__func__, __VA_ARGS__)

#define BEGIN(integer)                                                                                       \
    cublas_handle *handle, cublas_side side, cublas_fill fill, cublas_operation operation, int unit,         \
        integer m, integer n, const void *alpha
#define TRSM(name, t, integer)                                                                               \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, integer lda, void *b, integer ldb) {                \
        solve s = {.side = side,                                                                             \
                   .m = m,                                                                                   \
                   .n = n,                                                                                   \
                   .batch = 1,                                                                               \
                   .a = {.at = a, .ld = lda, .type = t, .operation = operation, .fill = fill},               \
                   .b = {.at = b, .ld = ldb, .type = t}};                                                    \
        return enqueue(handle, &s, unit, alpha);                                                             \
    }
#define TRSM_BATCHED(name, t, integer)                                                                       \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *const *a, integer lda, void *const *b, integer ldb,    \
                    integer batch) {                                                                         \
        solve s = {.side = side,                                                                             \
                   .m = m,                                                                                   \
                   .n = n,                                                                                   \
                   .batch = batch,                                                                           \
                   .a = {.list = a, .ld = lda, .type = t, .operation = operation, .fill = fill},             \
                   .b = {.list = (const void *const *)b, .ld = ldb, .type = t}};                             \
        return enqueue(handle, &s, unit, alpha);                                                             \
    }
#define BOTH(letter, type)                                                                                   \
    TRSM(cublas##letter##trsm_v2, type, int)                                                                 \
    TRSM(cublas##letter##trsm_v2_64, type, int64_t)                                                          \
    TRSM_BATCHED(cublas##letter##trsmBatched, type, int)                                                     \
    TRSM_BATCHED(cublas##letter##trsmBatched_64, type, int64_t)
BOTH(S, CUBLAS_F32)
BOTH(D, CUBLAS_F64)
BOTH(C, CUBLAS_C32)
BOTH(Z, CUBLAS_C64)
