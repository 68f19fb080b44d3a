// Vectors, and matrices times vectors. Element i of a vector is at i * step; with a negative step, it is read
// from its end, as BLAS has it.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cublas.h"

typedef enum work { AXPY, SCAL, COPY, SWAP, DOT, NRM2, ASUM, IAMAX, IAMIN, GEMV, GER } work;

typedef struct vector {
    void *at;
    int n, step;
} vector;

typedef struct vector_job {
    cublas_job job; // first
    work what;
    cublas_type type;
    cublas_scalar alpha, beta;
    vector x, y;
    void *result;
    // GEMV, GER
    cublas_operation operation;
    int m, n, ld;
    void *matrix;
} vector_job;

static size_t place_of(const vector *v, int i) { return (size_t)(v->step >= 0 ? i : v->n - 1 - i); }

// Between dense bytes and the vector; what is between its elements is not touched. With a step of 0 there is one element.
static bool copy_elements(const vector *v, cublas_type type, char *dense, bool put) {
    size_t bytes = cublas_type_bytes(type), pitch = (size_t)abs(v->step) * bytes;
    if (v->n <= 0) return true;
    if (pitch == 0) return put ? cublas_write(v->at, dense, bytes) : cublas_read(dense, v->at, bytes);
    return cudaMemcpy2D(put ? v->at : dense, put ? pitch : bytes, put ? dense : v->at, put ? bytes : pitch,
                        bytes, (size_t)v->n, cudaMemcpyDefault) == cudaSuccess;
}

// The elements, zeros where they are not needed: they may hold nothing yet. NULL where they cannot be read.
static double *fetch(const vector *v, cublas_type type, bool needed) {
    double *values = calloc((size_t)v->n + 1, sizeof *values);
    char *dense = calloc((size_t)v->n + 1, cublas_type_bytes(type));
    bool right = values && dense && (!needed || copy_elements(v, type, dense, false));
    for (int i = 0; right && i < v->n; i++)
        values[i] = cublas_load(dense, type, v->step ? place_of(v, i) : 0);
    free(dense);
    if (right) return values;
    free(values);
    return NULL;
}

static bool put_back(const vector *v, cublas_type type, const double *values) {
    char *dense = calloc((size_t)v->n + 1, cublas_type_bytes(type));
    for (int i = 0; dense && i < v->n; i++)
        cublas_store(dense, type, v->step ? place_of(v, i) : 0, values[i]);
    bool right = dense && copy_elements(v, type, dense, true);
    free(dense);
    return right;
}

static bool put_result(const vector_job *j, double value, bool is_index) {
    uint64_t bits = 0;
    cublas_store(&bits, is_index ? CUBLAS_I32 : j->type, 0, value);
    return cublas_write(j->result, &bits, is_index ? 4 : cublas_type_bytes(j->type));
}

static double extreme(const double *x, int n, bool least) { // an index from 1; NaNs are passed over
    int best = 0;
    for (int i = 1; i < n; i++)
        if (least ? fabs(x[i]) < fabs(x[best]) : fabs(x[i]) > fabs(x[best])) best = i;
    return n > 0 ? best + 1 : 0;
}

static bool reduce(const vector_job *j, const double *x, const double *y) {
    double sum = 0;
    if (j->what == IAMAX || j->what == IAMIN)
        return put_result(j, extreme(x, j->x.n, j->what == IAMIN), true);
    for (int i = 0; i < j->x.n; i++)
        sum += j->what == DOT ? x[i] * y[i] : j->what == ASUM ? fabs(x[i]) : x[i] * x[i];
    return put_result(j, j->what == NRM2 ? sqrt(sum) : sum, false);
}

static double *fetch_matrix(const vector_job *j, void **raw) {
    size_t bytes = cublas_type_bytes(j->type), rows = (size_t)j->m, columns = (size_t)j->n;
    double *values = malloc((rows * columns + 1) * sizeof *values);
    *raw = malloc(rows * columns * bytes + 1);
    bool right = values && *raw &&
                 cudaMemcpy2D(*raw, rows * bytes, j->matrix, (size_t)j->ld * bytes, rows * bytes, columns,
                              cudaMemcpyDefault) == cudaSuccess;
    for (size_t i = 0; right && i < rows * columns; i++) values[i] = cublas_load(*raw, j->type, i);
    if (right) return values;
    free(values);
    free(*raw);
    *raw = NULL;
    return NULL;
}

static bool times_vector(const vector_job *j, double alpha, double beta, const double *x, double *y) {
    void *raw;
    double *a = fetch_matrix(j, &raw);
    if (!a) return false;
    for (int i = 0; i < j->y.n; i++) y[i] = beta == 0 ? 0 : beta * y[i];
    for (int c = 0; c < j->n; c++)
        for (int r = 0; r < j->m; r++) {
            double element = alpha * a[(size_t)r + (size_t)c * (size_t)j->m];
            if (j->operation == CUBLAS_N)
                y[r] += element * x[c];
            else
                y[c] += element * x[r];
        }
    free(a);
    free(raw);
    return true;
}

static bool outer_product(const vector_job *j, double alpha, const double *x, const double *y) {
    void *raw;
    size_t bytes = cublas_type_bytes(j->type), rows = (size_t)j->m, columns = (size_t)j->n;
    double *a = fetch_matrix(j, &raw);
    if (!a) return false;
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            cublas_store(raw, j->type, r + c * rows, a[r + c * rows] + alpha * x[r] * y[c]);
    bool right = cudaMemcpy2D(j->matrix, (size_t)j->ld * bytes, raw, rows * bytes, rows * bytes, columns,
                              cudaMemcpyDefault) == cudaSuccess;
    free(a);
    free(raw);
    return right;
}

static bool compute(const vector_job *j, double alpha, double beta, double *x, double *y) {
    switch (j->what) {
    case AXPY:
        for (int i = 0; i < j->x.n; i++) y[i] += alpha * x[i];
        return put_back(&j->y, j->type, y);
    case SCAL:
        for (int i = 0; i < j->x.n; i++) x[i] *= alpha;
        return put_back(&j->x, j->type, x);
    case COPY: return put_back(&j->y, j->type, x);
    case SWAP: {
        bool first = put_back(&j->y, j->type, x);
        return put_back(&j->x, j->type, y) && first;
    }
    case GEMV: return times_vector(j, alpha, beta, x, y) && put_back(&j->y, j->type, y);
    case GER: return outer_product(j, alpha, x, y);
    default: return reduce(j, x, y);
    }
}

static cublas_status run_vector(cublas_job *job) {
    const vector_job *j = (const vector_job *)job;
    cublas_number alpha = 0, beta = 0;
    if (!cublas_scalar_read(&j->alpha, &alpha) || !cublas_scalar_read(&j->beta, &beta))
        return CUBLAS_EXECUTION_FAILED;
    bool needs_y = j->what != COPY && (j->what != GEMV || creal(beta) != 0);
    double *x = fetch(&j->x, j->type, true), *y = j->y.at ? fetch(&j->y, j->type, needs_y) : NULL;
    bool right = x && (!j->y.at || y) && compute(j, creal(alpha), creal(beta), x, y);
    free(x);
    free(y);
    return right ? CUBLAS_SUCCESS : CUBLAS_EXECUTION_FAILED;
}

static cublas_status enqueue_as(const char *routine, const cublas_handle *handle, vector_job *j,
                                const void *alpha, const void *beta) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    bool needs_result = j->what >= DOT && j->what <= IAMIN;
    if (needs_result && !j->result) return CUBLAS_INVALID_VALUE;
    if (j->x.n < 0) j->x.n = 0;
    if (j->y.n < 0) j->y.n = 0;
    if (j->x.n == 0 && !needs_result) return CUBLAS_SUCCESS;
    if (alpha) j->alpha = cublas_scalar_of(handle->pointer_mode == CUBLAS_POINTER_DEVICE, alpha, j->type);
    if (beta) j->beta = cublas_scalar_of(handle->pointer_mode == CUBLAS_POINTER_DEVICE, beta, j->type);
    j->job.run = run_vector;
    j->job.routine = routine;
    return cublas_enqueue(handle->stream, &j->job, sizeof *j);
}
#define enqueue(...) enqueue_as(__func__, __VA_ARGS__)

#define ROUTINES(S, IS, t)                                                                                   \
    CUBLAS_FUNCTION(cublas##S##axpy_v2, cublas_handle *handle, int n, const void *alpha, void *x,            \
                    int x_step, void *y, int y_step) {                                                       \
        vector_job j = {.what = AXPY, .type = t, .x = {x, n, x_step}, .y = {y, n, y_step}};                  \
        return alpha ? enqueue(handle, &j, alpha, NULL) : CUBLAS_INVALID_VALUE;                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##scal_v2, cublas_handle *handle, int n, const void *alpha, void *x,            \
                    int x_step) {                                                                            \
        vector_job j = {.what = SCAL, .type = t, .x = {x, n, x_step}};                                       \
        return alpha ? enqueue(handle, &j, alpha, NULL) : CUBLAS_INVALID_VALUE;                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##copy_v2, cublas_handle *handle, int n, void *x, int x_step, void *y,          \
                    int y_step) {                                                                            \
        vector_job j = {.what = COPY, .type = t, .x = {x, n, x_step}, .y = {y, n, y_step}};                  \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##swap_v2, cublas_handle *handle, int n, void *x, int x_step, void *y,          \
                    int y_step) {                                                                            \
        vector_job j = {.what = SWAP, .type = t, .x = {x, n, x_step}, .y = {y, n, y_step}};                  \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##dot_v2, cublas_handle *handle, int n, void *x, int x_step, void *y,           \
                    int y_step, void *result) {                                                              \
        vector_job j = {.what = DOT, .type = t, .x = {x, n, x_step}, .y = {y, n, y_step}, .result = result}; \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##nrm2_v2, cublas_handle *handle, int n, void *x, int x_step, void *result) {   \
        vector_job j = {.what = NRM2, .type = t, .x = {x, n, x_step}, .result = result};                     \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##asum_v2, cublas_handle *handle, int n, void *x, int x_step, void *result) {   \
        vector_job j = {.what = ASUM, .type = t, .x = {x, n, x_step}, .result = result};                     \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##IS##amax_v2, cublas_handle *handle, int n, void *x, int x_step, int *result) {   \
        vector_job j = {.what = IAMAX, .type = t, .x = {x, n, x_step}, .result = result};                    \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##IS##amin_v2, cublas_handle *handle, int n, void *x, int x_step, int *result) {   \
        vector_job j = {.what = IAMIN, .type = t, .x = {x, n, x_step}, .result = result};                    \
        return enqueue(handle, &j, NULL, NULL);                                                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##gemv_v2, cublas_handle *handle, cublas_operation operation, int m, int n,     \
                    const void *alpha, void *a, int ld, void *x, int x_step, const void *beta, void *y,      \
                    int y_step) {                                                                            \
        bool plain = operation == CUBLAS_N;                                                                  \
        vector_job j = {.what = GEMV,                                                                        \
                        .type = t,                                                                           \
                        .operation = operation,                                                              \
                        .m = m,                                                                              \
                        .n = n,                                                                              \
                        .ld = ld,                                                                            \
                        .matrix = a,                                                                         \
                        .x = {x, plain ? n : m, x_step},                                                     \
                        .y = {y, plain ? m : n, y_step}};                                                    \
        bool wrong = m < 0 || n < 0 || ld < (m > 1 ? m : 1) || x_step == 0 || y_step == 0 || !alpha ||       \
                     !beta || (unsigned)operation > CUBLAS_C;                                                \
        return wrong ? CUBLAS_INVALID_VALUE : enqueue(handle, &j, alpha, beta);                              \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##S##ger_v2, cublas_handle *handle, int m, int n, const void *alpha, void *x,      \
                    int x_step, void *y, int y_step, void *a, int ld) {                                      \
        vector_job j = {.what = GER,                                                                         \
                        .type = t,                                                                           \
                        .m = m,                                                                              \
                        .n = n,                                                                              \
                        .ld = ld,                                                                            \
                        .matrix = a,                                                                         \
                        .x = {x, m, x_step},                                                                 \
                        .y = {y, n, y_step}};                                                                \
        bool wrong = m < 0 || n < 0 || ld < (m > 1 ? m : 1) || x_step == 0 || y_step == 0 || !alpha;         \
        return wrong ? CUBLAS_INVALID_VALUE : enqueue(handle, &j, alpha, NULL);                              \
    }
ROUTINES(S, Is, CUBLAS_F32)
ROUTINES(D, Id, CUBLAS_F64)

// Elements of one type, vectors and result. Sums and factors are of 64 bits for doubles, else of 32.
static cublas_status same_types(const cublas_handle *handle, int a, int b, int execution,
                                const void *needed) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    if (!needed) return CUBLAS_INVALID_VALUE;
    bool known = a == CUBLAS_F32 || a == CUBLAS_F64 || a == CUBLAS_F16 || a == CUBLAS_BF16;
    int wide = a == CUBLAS_F64 ? CUBLAS_F64 : CUBLAS_F32;
    return known && a == b && execution == wide ? CUBLAS_SUCCESS : CUBLAS_NOT_SUPPORTED;
}

CUBLAS_FUNCTION(cublasDotEx, cublas_handle *handle, int n, void *x, int x_type, int x_step, void *y,
                int y_type, int y_step, void *result, int result_type, int execution) {
    cublas_status status = same_types(handle, x_type, y_type, execution, result);
    if (status || x_type != result_type) return status ? status : CUBLAS_NOT_SUPPORTED;
    vector_job j = {
        .what = DOT, .type = (cublas_type)x_type, .x = {x, n, x_step}, .y = {y, n, y_step}, .result = result};
    return enqueue(handle, &j, NULL, NULL);
}

CUBLAS_FUNCTION(cublasNrm2Ex, cublas_handle *handle, int n, void *x, int x_type, int x_step, void *result,
                int result_type, int execution) {
    cublas_status status = same_types(handle, x_type, result_type, execution, result);
    vector_job j = {.what = NRM2, .type = (cublas_type)x_type, .x = {x, n, x_step}, .result = result};
    return status ? status : enqueue(handle, &j, NULL, NULL);
}

CUBLAS_FUNCTION(cublasScalEx, cublas_handle *handle, int n, const void *alpha, int alpha_type, void *x,
                int x_type, int x_step, int execution) {
    cublas_status status = same_types(handle, x_type, x_type, execution, alpha);
    if (status || alpha_type != execution) return status ? status : CUBLAS_NOT_SUPPORTED;
    vector_job j = {.what = SCAL, .type = (cublas_type)x_type, .x = {x, n, x_step}};
    j.alpha = cublas_scalar_of(handle->pointer_mode == CUBLAS_POINTER_DEVICE, alpha, (cublas_type)alpha_type);
    return enqueue(handle, &j, NULL, NULL);
}

CUBLAS_FUNCTION(cublasAxpyEx, cublas_handle *handle, int n, const void *alpha, int alpha_type, void *x,
                int x_type, int x_step, void *y, int y_type, int y_step, int execution) {
    cublas_status status = same_types(handle, x_type, y_type, execution, alpha);
    if (status || alpha_type != execution) return status ? status : CUBLAS_NOT_SUPPORTED;
    vector_job j = {.what = AXPY, .type = (cublas_type)x_type, .x = {x, n, x_step}, .y = {y, n, y_step}};
    j.alpha = cublas_scalar_of(handle->pointer_mode == CUBLAS_POINTER_DEVICE, alpha, (cublas_type)alpha_type);
    return enqueue(handle, &j, NULL, NULL);
}
