// gemm in all its forms: of one type, of any, batched by pointers, by strides and in groups, with 32 and 64-bit sizes.
#include "cublas.h"

#define PRODUCT(ta, tb, m_, n_, k_, a_, b_, c_, batch_)                                                      \
    cublas_product p = {.m = m_, .n = n_, .k = k_, .batch = batch_, .a = a_, .b = b_, .c = c_};              \
    p.a.operation = ta;                                                                                      \
    p.b.operation = tb
#define ONE(pointer, step, t)                                                                                \
    { .at = pointer, .ld = step, .type = t }
#define STRIDED(pointer, step, s, t)                                                                         \
    { .at = pointer, .ld = step, .stride = s, .type = t }
#define LISTED(pointers, step, t)                                                                            \
    { .list = (const void *const *)(pointers), .ld = step, .type = t }
#define BEGIN(integer)                                                                                       \
    cublas_handle *handle, cublas_operation ta, cublas_operation tb, integer m, integer n, integer k,        \
        const void *alpha

// ---- of one type ----------------------------------------------------------------------------------------

#define GEMM(name, type, integer)                                                                            \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, integer lda, const void *b, integer ldb,            \
                    const void *beta, void *c, integer ldc) {                                                \
        PRODUCT(ta, tb, m, n, k, ONE(a, lda, type), ONE(b, ldb, type), ONE(c, ldc, type), 1);                \
        return cublas_multiply(handle, &p, alpha, type, beta, type);                                         \
    }
#define GEMM_STRIDED(name, type, integer)                                                                    \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, integer lda, long long sa, const void *b,           \
                    integer ldb, long long sb, const void *beta, void *c, integer ldc, long long sc,         \
                    integer batch) {                                                                         \
        PRODUCT(ta, tb, m, n, k, STRIDED(a, lda, sa, type), STRIDED(b, ldb, sb, type),                       \
                STRIDED(c, ldc, sc, type), batch);                                                           \
        return cublas_multiply(handle, &p, alpha, type, beta, type);                                         \
    }
#define GEMM_BATCHED(name, type, integer)                                                                    \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *const *a, integer lda, const void *const *b,           \
                    integer ldb, const void *beta, void *const *c, integer ldc, integer batch) {             \
        PRODUCT(ta, tb, m, n, k, LISTED(a, lda, type), LISTED(b, ldb, type), LISTED(c, ldc, type), batch);   \
        return cublas_multiply(handle, &p, alpha, type, beta, type);                                         \
    }
#define BOTH(MAKE, name, type) MAKE(name, type, int) MAKE(name##_64, type, int64_t)

BOTH(GEMM, cublasHgemm, CUBLAS_F16)
BOTH(GEMM, cublasSgemm_v2, CUBLAS_F32)
BOTH(GEMM, cublasDgemm_v2, CUBLAS_F64)
BOTH(GEMM, cublasCgemm_v2, CUBLAS_C32)
BOTH(GEMM, cublasZgemm_v2, CUBLAS_C64)
BOTH(GEMM, cublasCgemm3m, CUBLAS_C32)
BOTH(GEMM, cublasZgemm3m, CUBLAS_C64)
BOTH(GEMM_STRIDED, cublasHgemmStridedBatched, CUBLAS_F16)
BOTH(GEMM_STRIDED, cublasSgemmStridedBatched, CUBLAS_F32)
BOTH(GEMM_STRIDED, cublasDgemmStridedBatched, CUBLAS_F64)
BOTH(GEMM_STRIDED, cublasCgemmStridedBatched, CUBLAS_C32)
BOTH(GEMM_STRIDED, cublasZgemmStridedBatched, CUBLAS_C64)
BOTH(GEMM_STRIDED, cublasCgemm3mStridedBatched, CUBLAS_C32)
BOTH(GEMM_BATCHED, cublasHgemmBatched, CUBLAS_F16)
BOTH(GEMM_BATCHED, cublasSgemmBatched, CUBLAS_F32)
BOTH(GEMM_BATCHED, cublasDgemmBatched, CUBLAS_F64)
BOTH(GEMM_BATCHED, cublasCgemmBatched, CUBLAS_C32)
BOTH(GEMM_BATCHED, cublasZgemmBatched, CUBLAS_C64)
BOTH(GEMM_BATCHED, cublasCgemm3mBatched, CUBLAS_C32)

// ---- of any type ----------------------------------------------------------------------------------------

enum { COMPUTE_32F = 68 };

static bool is_byte_float(cublas_type type) { return type == CUBLAS_E4M3 || type == CUBLAS_E5M2; }

// cuBLASLt alone has 8-bit floats. Bytes come in columns of whole words.
static cublas_status multiply_any_as(const char *routine, const cublas_handle *handle, cublas_product *p,
                                     const void *alpha, const void *beta, int compute) {
    cublas_type scalar;
    if (is_byte_float(p->a.type) || is_byte_float(p->b.type) || is_byte_float(p->c.type))
        return CUBLAS_INVALID_VALUE;
    bool whole_words = p->c.type != CUBLAS_I32 || (p->a.ld % 4 == 0 && p->b.ld % 4 == 0);
    if (p->a.type != p->b.type || !whole_words ||
        !cublas_can_multiply(compute, (int)p->a.type, (int)p->c.type, &scalar))
        return CUBLAS_NOT_SUPPORTED;
    return cublas_multiply_as(routine, handle, p, alpha, scalar, beta, scalar);
}
#define multiply_any(...) multiply_any_as(__func__, __VA_ARGS__)

#define GEMM_EX(name, unused, integer)                                                                       \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, cublas_type at, integer lda, const void *b,         \
                    cublas_type bt, integer ldb, const void *beta, void *c, cublas_type ct, integer ldc,     \
                    int compute, int algorithm) {                                                            \
        PRODUCT(ta, tb, m, n, k, ONE(a, lda, at), ONE(b, ldb, bt), ONE(c, ldc, ct), 1);                      \
        return multiply_any(handle, &p, alpha, beta, compute);                                               \
    }
#define GEMM_STRIDED_EX(name, unused, integer)                                                               \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, cublas_type at, integer lda, long long sa,          \
                    const void *b, cublas_type bt, integer ldb, long long sb, const void *beta, void *c,     \
                    cublas_type ct, integer ldc, long long sc, integer batch, int compute, int algorithm) {  \
        PRODUCT(ta, tb, m, n, k, STRIDED(a, lda, sa, at), STRIDED(b, ldb, sb, bt), STRIDED(c, ldc, sc, ct),  \
                batch);                                                                                      \
        return multiply_any(handle, &p, alpha, beta, compute);                                               \
    }
#define GEMM_BATCHED_EX(name, unused, integer)                                                               \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *const *a, cublas_type at, integer lda,                 \
                    const void *const *b, cublas_type bt, integer ldb, const void *beta, void *const *c,     \
                    cublas_type ct, integer ldc, integer batch, int compute, int algorithm) {                \
        PRODUCT(ta, tb, m, n, k, LISTED(a, lda, at), LISTED(b, ldb, bt), LISTED(c, ldc, ct), batch);         \
        return multiply_any(handle, &p, alpha, beta, compute);                                               \
    }
// Sums and scalars are of 32 bits, of whatever type the matrices are.
#define GEMM_32_EX(name, unused, integer)                                                                    \
    CUBLAS_FUNCTION(name, BEGIN(integer), const void *a, cublas_type at, integer lda, const void *b,         \
                    cublas_type bt, integer ldb, const void *beta, void *c, cublas_type ct, integer ldc) {   \
        PRODUCT(ta, tb, m, n, k, ONE(a, lda, at), ONE(b, ldb, bt), ONE(c, ldc, ct), 1);                      \
        return multiply_any(handle, &p, alpha, beta, COMPUTE_32F);                                           \
    }

BOTH(GEMM_EX, cublasGemmEx, )
BOTH(GEMM_STRIDED_EX, cublasGemmStridedBatchedEx, )
BOTH(GEMM_BATCHED_EX, cublasGemmBatchedEx, )
BOTH(GEMM_32_EX, cublasSgemmEx, )
BOTH(GEMM_32_EX, cublasCgemmEx, )
BOTH(GEMM_32_EX, cublasCgemm3mEx, )

// ---- in groups ------------------------------------------------------------------------------------------

// Each group is a batch of its own sizes; all lists go on from group to group.
#define GROUPED(name, integer, TYPES, at, bt, ct, scalar, LAST, multiply)                                    \
    CUBLAS_FUNCTION(name, cublas_handle *handle, const cublas_operation *ta, const cublas_operation *tb,     \
                    const integer *m, const integer *n, const integer *k, const void *alpha,                 \
                    const void *const *a, TYPES(at) const integer *lda, const void *const *b,                \
                    TYPES(bt) const integer *ldb, const void *beta, void *const *c,                          \
                    TYPES(ct) const integer *ldc, integer groups, const integer *sizes LAST) {               \
        integer from = 0;                                                                                    \
        for (integer g = 0; g < groups; from += sizes[g++]) {                                                \
            PRODUCT(ta[g], tb[g], m[g], n[g], k[g], LISTED(a + from, lda[g], at),                            \
                    LISTED(b + from, ldb[g], bt), LISTED(c + from, ldc[g], ct), sizes[g]);                   \
            const char *scale = alpha, *keep = beta;                                                         \
            size_t step = (size_t)g * cublas_type_bytes(scalar);                                             \
            cublas_status status = multiply;                                                                 \
            if (status) return status;                                                                       \
        }                                                                                                    \
        return CUBLAS_SUCCESS;                                                                               \
    }
#define NO_TYPE(type)
#define WITH_TYPE(type) cublas_type type,
#define WITH_COMPUTE    , int compute
#define GROUPED_OF(name, type, integer)                                                                      \
    GROUPED(name, integer, NO_TYPE, type, type, type, type, ,                                                \
            cublas_multiply(handle, &p, scale + step, type, keep + step, type))
#define GROUPED_EX(name, unused, integer)                                                                    \
    GROUPED(name, integer, WITH_TYPE, at, bt, ct, compute == 70 ? CUBLAS_F64 : CUBLAS_F32, WITH_COMPUTE,     \
            multiply_any(handle, &p, scale + step, keep + step, compute))
BOTH(GROUPED_OF, cublasSgemmGroupedBatched, CUBLAS_F32)
BOTH(GROUPED_OF, cublasDgemmGroupedBatched, CUBLAS_F64)
BOTH(GROUPED_EX, cublasGemmGroupedBatchedEx, )
