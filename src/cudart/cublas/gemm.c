// Products of matrices, and of a matrix with a vector. Matrices are column-major: element (i, j) is at i + j
// * ld.
#include <stdlib.h>
#include <string.h>

#include "cublas.h"

typedef struct operand {
    const void *at;          // the first matrix, or
    const void *const *list; // on the device: a pointer per matrix
    long long stride;        // elements from matrix to matrix
    int ld;
    cublas_type type;
    cublas_operation operation;
} operand;

typedef struct gemm {
    cublas_job job; // first
    int m, n, k, batch;
    cublas_scalar alpha, beta;
    operand a, b, c;
} gemm;

static const void *matrix_at(const operand *o, int index) {
    const void *pointer = NULL;
    if (o->list) return cublas_read(&pointer, o->list + index, sizeof pointer) ? pointer : NULL;
    return (const char *)o->at + (long long)cublas_type_bytes(o->type) * o->stride * index;
}

// The matrix as it is stored, `rows` by `columns`, densely; NULL where it cannot be read.
static double *fetch(const void *at, const operand *o, size_t rows, size_t columns) {
    size_t bytes = cublas_type_bytes(o->type), count = rows * columns;
    char *raw = malloc(count * bytes + 1);
    double *values = malloc((count + 1) * sizeof *values);
    bool right = raw && values && at &&
                 (count == 0 || cudaMemcpy2D(raw, rows * bytes, at, (size_t)o->ld * bytes, rows * bytes,
                                             columns, cudaMemcpyDefault) == cudaSuccess);
    for (size_t i = 0; right && i < count; i++) values[i] = cublas_load(raw, o->type, i);
    free(raw);
    if (right) return values;
    free(values);
    return NULL;
}

static bool put_back(const double *values, const void *at, const operand *o, size_t rows, size_t columns) {
    size_t bytes = cublas_type_bytes(o->type), count = rows * columns;
    char *raw = malloc(count * bytes + 1);
    for (size_t i = 0; raw && i < count; i++) cublas_store(raw, o->type, i, values[i]);
    bool right = raw && cudaMemcpy2D((void *)(uintptr_t)at, (size_t)o->ld * bytes, raw, rows * bytes,
                                     rows * bytes, columns, cudaMemcpyDefault) == cudaSuccess;
    free(raw);
    return right;
}

static double *transposed(double *from, size_t rows, size_t columns) {
    double *to = malloc((rows * columns + 1) * sizeof *to);
    for (size_t j = 0; to && j < columns; j++)
        for (size_t i = 0; i < rows; i++) to[j + i * columns] = from[i + j * rows];
    free(from);
    return to;
}

// op(matrix), `rows` by `columns`.
static double *fetch_operand(const operand *o, int index, size_t rows, size_t columns) {
    const void *at = matrix_at(o, index);
    if (o->operation == CUBLAS_N) return fetch(at, o, rows, columns);
    double *stored = fetch(at, o, columns, rows);
    return stored ? transposed(stored, columns, rows) : NULL;
}

static bool multiply_one(const gemm *g, int index, double alpha, double beta) {
    size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    const void *at = matrix_at(&g->c, index);
    double *a = alpha != 0 ? fetch_operand(&g->a, index, m, k) : NULL;
    double *b = alpha != 0 ? fetch_operand(&g->b, index, k, n) : NULL;
    // With beta 0, C is not read: it may hold NaNs, or nothing yet.
    double *c = beta != 0 ? fetch(at, &g->c, m, n) : calloc(m * n + 1, sizeof *c);
    bool right = c && (alpha == 0 || (a && b));
    for (size_t j = 0; right && j < n; j++) {
        double *column = c + j * m;
        for (size_t i = 0; i < m; i++) column[i] *= beta;
        for (size_t l = 0; a && l < k; l++) {
            double factor = alpha * b[l + j * k];
            const double *from = a + l * m;
            for (size_t i = 0; i < m; i++) column[i] += factor * from[i];
        }
    }
    right = right && put_back(c, at, &g->c, m, n);
    free(a);
    free(b);
    free(c);
    return right;
}

static cublas_status run_gemm(cublas_job *job) {
    const gemm *g = (const gemm *)job;
    double alpha, beta;
    if (!cublas_scalar_read(&g->alpha, &alpha) || !cublas_scalar_read(&g->beta, &beta))
        return CUBLAS_EXECUTION_FAILED;
    for (int i = 0; i < g->batch; i++)
        if (!multiply_one(g, i, alpha, beta)) return CUBLAS_EXECUTION_FAILED;
    return CUBLAS_SUCCESS;
}

static cublas_status multiply(const cublas_handle *handle, gemm *g, const void *alpha, const void *beta,
                              cublas_type scalar) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    int rows_a = g->a.operation == CUBLAS_N ? g->m : g->k, rows_b = g->b.operation == CUBLAS_N ? g->k : g->n;
    if (g->m < 0 || g->n < 0 || g->k < 0 || g->batch < 0 || (unsigned)g->a.operation > CUBLAS_C ||
        (unsigned)g->b.operation > CUBLAS_C || g->a.ld < (rows_a > 1 ? rows_a : 1) ||
        g->b.ld < (rows_b > 1 ? rows_b : 1) || g->c.ld < (g->m > 1 ? g->m : 1))
        return CUBLAS_INVALID_VALUE;
    if (g->m == 0 || g->n == 0 || g->batch == 0) return CUBLAS_SUCCESS;
    if (!alpha || !beta) return CUBLAS_INVALID_VALUE;
    g->alpha = cublas_scalar_of(handle, alpha, scalar);
    g->beta = cublas_scalar_of(handle, beta, scalar);
    g->job.run = run_gemm;
    return cublas_enqueue(handle, &g->job, sizeof *g);
}

#define API(name, ...)                                                                                       \
    cublas_status name(__VA_ARGS__);                                                                         \
    cublas_status name(__VA_ARGS__)

#define GEMM(letter, type)                                                                                   \
    API(cublas##letter##gemm_v2, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m,     \
        int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,   \
        void *c, int ldc) {                                                                                  \
        gemm g = {.m = m,                                                                                    \
                  .n = n,                                                                                    \
                  .k = k,                                                                                    \
                  .batch = 1,                                                                                \
                  .a = {a, NULL, 0, lda, type, ta},                                                          \
                  .b = {b, NULL, 0, ldb, type, tb},                                                          \
                  .c = {c, NULL, 0, ldc, type, CUBLAS_N}};                                                   \
        return multiply(handle, &g, alpha, beta, type);                                                      \
    }                                                                                                        \
    API(cublas##letter##gemmStridedBatched, cublas_handle *handle, cublas_operation ta, cublas_operation tb, \
        int m, int n, int k, const void *alpha, const void *a, int lda, long long sa, const void *b,         \
        int ldb, long long sb, const void *beta, void *c, int ldc, long long sc, int batch) {                \
        gemm g = {.m = m,                                                                                    \
                  .n = n,                                                                                    \
                  .k = k,                                                                                    \
                  .batch = batch,                                                                            \
                  .a = {a, NULL, sa, lda, type, ta},                                                         \
                  .b = {b, NULL, sb, ldb, type, tb},                                                         \
                  .c = {c, NULL, sc, ldc, type, CUBLAS_N}};                                                  \
        return multiply(handle, &g, alpha, beta, type);                                                      \
    }                                                                                                        \
    API(cublas##letter##gemmBatched, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, \
        int n, int k, const void *alpha, const void *const *a, int lda, const void *const *b, int ldb,       \
        const void *beta, void *const *c, int ldc, int batch) {                                              \
        gemm g = {.m = m,                                                                                    \
                  .n = n,                                                                                    \
                  .k = k,                                                                                    \
                  .batch = batch,                                                                            \
                  .a = {NULL, a, 0, lda, type, ta},                                                          \
                  .b = {NULL, b, 0, ldb, type, tb},                                                          \
                  .c = {NULL, (const void *const *)c, 0, ldc, type, CUBLAS_N}};                              \
        return multiply(handle, &g, alpha, beta, type);                                                      \
    }
GEMM(S, CUBLAS_F32)
GEMM(D, CUBLAS_F64)

API(cublasHgemm, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, int n, int k,
    const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc) {
    gemm g = {.m = m,
              .n = n,
              .k = k,
              .batch = 1,
              .a = {a, NULL, 0, lda, CUBLAS_F16, ta},
              .b = {b, NULL, 0, ldb, CUBLAS_F16, tb},
              .c = {c, NULL, 0, ldc, CUBLAS_F16, CUBLAS_N}};
    return multiply(handle, &g, alpha, beta, CUBLAS_F16);
}

API(cublasHgemmStridedBatched, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, int n,
    int k, const void *alpha, const void *a, int lda, long long sa, const void *b, int ldb, long long sb,
    const void *beta, void *c, int ldc, long long sc, int batch) {
    gemm g = {.m = m,
              .n = n,
              .k = k,
              .batch = batch,
              .a = {a, NULL, sa, lda, CUBLAS_F16, ta},
              .b = {b, NULL, sb, ldb, CUBLAS_F16, tb},
              .c = {c, NULL, sc, ldc, CUBLAS_F16, CUBLAS_N}};
    return multiply(handle, &g, alpha, beta, CUBLAS_F16);
}

// The type of alpha and beta by the kind of computation (cublasComputeType_t); false for those we do not
// have.
static bool scalar_type(int compute, cublas_type *type) {
    switch (compute) {
    case 64:
    case 65: *type = CUBLAS_F16; return true; // CUBLAS_COMPUTE_16F
    case 68:
    case 69:
    case 74:
    case 75:
    case 77: *type = CUBLAS_F32; return true; // 32F, and its fast forms
    case 70:
    case 71: *type = CUBLAS_F64; return true;
    case 72:
    case 73: *type = CUBLAS_I32; return true;
    default: return false;
    }
}

static cublas_status multiply_any(const cublas_handle *handle, gemm *g, const void *alpha, const void *beta,
                                  int compute) {
    cublas_type scalar;
    if (!cublas_is_type((int)g->a.type) || !cublas_is_type((int)g->b.type) ||
        !cublas_is_type((int)g->c.type) || !scalar_type(compute, &scalar))
        return CUBLAS_NOT_SUPPORTED;
    return multiply(handle, g, alpha, beta, scalar);
}

API(cublasGemmEx, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, int n, int k,
    const void *alpha, const void *a, cublas_type at, int lda, const void *b, cublas_type bt, int ldb,
    const void *beta, void *c, cublas_type ct, int ldc, int compute, int algorithm) {
    gemm g = {.m = m,
              .n = n,
              .k = k,
              .batch = 1,
              .a = {a, NULL, 0, lda, at, ta},
              .b = {b, NULL, 0, ldb, bt, tb},
              .c = {c, NULL, 0, ldc, ct, CUBLAS_N}};
    return multiply_any(handle, &g, alpha, beta, compute);
}

API(cublasGemmStridedBatchedEx, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, int n,
    int k, const void *alpha, const void *a, cublas_type at, int lda, long long sa, const void *b,
    cublas_type bt, int ldb, long long sb, const void *beta, void *c, cublas_type ct, int ldc, long long sc,
    int batch, int compute, int algorithm) {
    gemm g = {.m = m,
              .n = n,
              .k = k,
              .batch = batch,
              .a = {a, NULL, sa, lda, at, ta},
              .b = {b, NULL, sb, ldb, bt, tb},
              .c = {c, NULL, sc, ldc, ct, CUBLAS_N}};
    return multiply_any(handle, &g, alpha, beta, compute);
}

API(cublasSgemmEx, cublas_handle *handle, cublas_operation ta, cublas_operation tb, int m, int n, int k,
    const void *alpha, const void *a, cublas_type at, int lda, const void *b, cublas_type bt, int ldb,
    const void *beta, void *c, cublas_type ct, int ldc) {
    gemm g = {.m = m,
              .n = n,
              .k = k,
              .batch = 1,
              .a = {a, NULL, 0, lda, at, ta},
              .b = {b, NULL, 0, ldb, bt, tb},
              .c = {c, NULL, 0, ldc, ct, CUBLAS_N}};
    return multiply_any(handle, &g, alpha, beta, 68);
}
