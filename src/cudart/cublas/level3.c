// The rest of BLAS level 3 that is a product: of symmetric, Hermitian and triangular matrices, and updates of rank k.
#include "cublas.h"

#define BOTH(MAKE, letter, ...) MAKE(letter, , int, __VA_ARGS__) MAKE(letter, _64, int64_t, __VA_ARGS__)

// ---- symm, hemm, trmm: one operand is square, on the left or on the right --------------------------------

static void put_square(cublas_product *p, cublas_side side, cublas_matrix square, cublas_matrix other) {
    p->k = side == CUBLAS_LEFT ? p->m : p->n;
    p->a = side == CUBLAS_LEFT ? square : other;
    p->b = side == CUBLAS_LEFT ? other : square;
}

#define SYMM(name, suffix, integer, t, form_)                                                                \
    CUBLAS_FUNCTION(cublas##name##_v2##suffix, cublas_handle *handle, cublas_side side, cublas_fill fill,    \
                    integer m, integer n, const void *alpha, const void *a, integer lda, const void *b,      \
                    integer ldb, const void *beta, void *c, integer ldc) {                                   \
        cublas_product p = {.m = m, .n = n, .batch = 1, .c = {.at = c, .ld = ldc, .type = t}};               \
        put_square(&p, side, (cublas_matrix){.at = a, .ld = lda, .type = t, .form = form_, .fill = fill},    \
                   (cublas_matrix){.at = b, .ld = ldb, .type = t});                                          \
        if ((unsigned)side > CUBLAS_RIGHT) return CUBLAS_INVALID_VALUE;                                      \
        return cublas_multiply(handle, &p, alpha, t, beta, t);                                               \
    }
BOTH(SYMM, Ssymm, CUBLAS_F32, CUBLAS_SYMMETRIC)
BOTH(SYMM, Dsymm, CUBLAS_F64, CUBLAS_SYMMETRIC)
BOTH(SYMM, Csymm, CUBLAS_C32, CUBLAS_SYMMETRIC)
BOTH(SYMM, Zsymm, CUBLAS_C64, CUBLAS_SYMMETRIC)
BOTH(SYMM, Chemm, CUBLAS_C32, CUBLAS_HERMITIAN)
BOTH(SYMM, Zhemm, CUBLAS_C64, CUBLAS_HERMITIAN)

#define TRMM(name, suffix, integer, t)                                                                       \
    CUBLAS_FUNCTION(cublas##name##_v2##suffix, cublas_handle *handle, cublas_side side, cublas_fill fill,    \
                    cublas_operation operation, int unit, integer m, integer n, const void *alpha,           \
                    const void *a, integer lda, const void *b, integer ldb, void *c, integer ldc) {          \
        cublas_product p = {                                                                                 \
            .m = m, .n = n, .batch = 1, .replaces = true, .c = {.at = c, .ld = ldc, .type = t}};             \
        cublas_matrix square = {.at = a,                                                                     \
                                .ld = lda,                                                                   \
                                .type = t,                                                                   \
                                .operation = operation,                                                      \
                                .form = unit ? CUBLAS_UNIT_TRIANGULAR : CUBLAS_TRIANGULAR,                   \
                                .fill = fill};                                                               \
        put_square(&p, side, square, (cublas_matrix){.at = b, .ld = ldb, .type = t});                        \
        if ((unsigned)side > CUBLAS_RIGHT || (unsigned)unit > 1) return CUBLAS_INVALID_VALUE;                \
        return cublas_multiply(handle, &p, alpha, t, NULL, t);                                               \
    }
BOTH(TRMM, Strmm, CUBLAS_F32)
BOTH(TRMM, Dtrmm, CUBLAS_F64)
BOTH(TRMM, Ctrmm, CUBLAS_C32)
BOTH(TRMM, Ztrmm, CUBLAS_C64)

// ---- updates of rank k: C, n by n, is symmetric or Hermitian ----------------------------------------------

typedef struct update {
    cublas_fill fill;
    cublas_operation operation;
    int64_t n, k;
    const void *a, *b; // b may be a
    int64_t lda, ldb;
    void *c;
    int64_t ldc;
    cublas_type type, c_type;
    cublas_form form;
    bool twice;
} update;

// op(A) op(B)^T, or ^H: what is not N is T for symmetric matrices and C for Hermitian ones, whichever was said.
static cublas_status run_update_as(const char *routine, const cublas_handle *handle, const update *u,
                                   const void *alpha, cublas_type alpha_type, const void *beta,
                                   cublas_type beta_type) {
    bool plain = u->operation == CUBLAS_N;
    cublas_operation turned = u->form == CUBLAS_HERMITIAN ? CUBLAS_C : CUBLAS_T;
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    if ((unsigned)u->operation > CUBLAS_C) return CUBLAS_INVALID_VALUE;
    if (u->type != u->c_type || !cublas_is_type((int)u->type)) return CUBLAS_NOT_SUPPORTED;
    cublas_product p = {
        .m = u->n,
        .n = u->n,
        .k = u->k,
        .batch = 1,
        .twice = u->twice,
        .a = {.at = u->a, .ld = u->lda, .type = u->type, .operation = plain ? CUBLAS_N : turned},
        .b = {.at = u->b, .ld = u->ldb, .type = u->type, .operation = plain ? turned : CUBLAS_N},
        .c = {.at = u->c, .ld = u->ldc, .type = u->c_type, .form = u->form, .fill = u->fill},
    };
    return cublas_multiply_as(routine, handle, &p, alpha, alpha_type, beta, beta_type);
}
#define run_update(...) run_update_as(__func__, __VA_ARGS__)

#define RANK_K(name, suffix, integer, t, form_, scalar)                                                      \
    CUBLAS_FUNCTION(cublas##name##suffix, cublas_handle *handle, cublas_fill fill,                           \
                    cublas_operation operation, integer n, integer k, const void *alpha, const void *a,      \
                    integer lda, const void *beta, void *c, integer ldc) {                                   \
        update u = {fill, operation, n, k, a, a, lda, lda, c, ldc, t, t, form_, false};                      \
        return run_update(handle, &u, alpha, scalar, beta, scalar);                                          \
    }
BOTH(RANK_K, Ssyrk_v2, CUBLAS_F32, CUBLAS_SYMMETRIC, CUBLAS_F32)
BOTH(RANK_K, Dsyrk_v2, CUBLAS_F64, CUBLAS_SYMMETRIC, CUBLAS_F64)
BOTH(RANK_K, Csyrk_v2, CUBLAS_C32, CUBLAS_SYMMETRIC, CUBLAS_C32)
BOTH(RANK_K, Zsyrk_v2, CUBLAS_C64, CUBLAS_SYMMETRIC, CUBLAS_C64)
BOTH(RANK_K, Cherk_v2, CUBLAS_C32, CUBLAS_HERMITIAN, CUBLAS_F32)
BOTH(RANK_K, Zherk_v2, CUBLAS_C64, CUBLAS_HERMITIAN, CUBLAS_F64)

// A and C of C32 alone: complex bytes an H200 refuses.
#define RANK_K_EX(name, suffix, integer, form_, scalar)                                                      \
    CUBLAS_FUNCTION(cublas##name##suffix, cublas_handle *handle, cublas_fill fill,                           \
                    cublas_operation operation, integer n, integer k, const void *alpha, const void *a,      \
                    cublas_type at, integer lda, const void *beta, void *c, cublas_type ct, integer ldc) {   \
        update u = {fill, operation, n, k, a, a, lda, lda, c, ldc, at, ct, form_, false};                    \
        if (at != CUBLAS_C32) return CUBLAS_NOT_SUPPORTED;                                                   \
        return run_update(handle, &u, alpha, scalar, beta, scalar);                                          \
    }
BOTH(RANK_K_EX, CsyrkEx, CUBLAS_SYMMETRIC, CUBLAS_C32)
BOTH(RANK_K_EX, Csyrk3mEx, CUBLAS_SYMMETRIC, CUBLAS_C32)
BOTH(RANK_K_EX, CherkEx, CUBLAS_HERMITIAN, CUBLAS_F32)
BOTH(RANK_K_EX, Cherk3mEx, CUBLAS_HERMITIAN, CUBLAS_F32)

#define RANK_2K(name, suffix, integer, t, form_, beta_type, twice_)                                          \
    CUBLAS_FUNCTION(cublas##name##suffix, cublas_handle *handle, cublas_fill fill,                           \
                    cublas_operation operation, integer n, integer k, const void *alpha, const void *a,      \
                    integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc) {       \
        update u = {fill, operation, n, k, a, b, lda, ldb, c, ldc, t, t, form_, twice_};                     \
        return run_update(handle, &u, alpha, t, beta, beta_type);                                            \
    }
BOTH(RANK_2K, Ssyr2k_v2, CUBLAS_F32, CUBLAS_SYMMETRIC, CUBLAS_F32, true)
BOTH(RANK_2K, Dsyr2k_v2, CUBLAS_F64, CUBLAS_SYMMETRIC, CUBLAS_F64, true)
BOTH(RANK_2K, Csyr2k_v2, CUBLAS_C32, CUBLAS_SYMMETRIC, CUBLAS_C32, true)
BOTH(RANK_2K, Zsyr2k_v2, CUBLAS_C64, CUBLAS_SYMMETRIC, CUBLAS_C64, true)
BOTH(RANK_2K, Cher2k_v2, CUBLAS_C32, CUBLAS_HERMITIAN, CUBLAS_F32, true)
BOTH(RANK_2K, Zher2k_v2, CUBLAS_C64, CUBLAS_HERMITIAN, CUBLAS_F64, true)
BOTH(RANK_2K, Ssyrkx, CUBLAS_F32, CUBLAS_SYMMETRIC, CUBLAS_F32, false)
BOTH(RANK_2K, Dsyrkx, CUBLAS_F64, CUBLAS_SYMMETRIC, CUBLAS_F64, false)
BOTH(RANK_2K, Csyrkx, CUBLAS_C32, CUBLAS_SYMMETRIC, CUBLAS_C32, false)
BOTH(RANK_2K, Zsyrkx, CUBLAS_C64, CUBLAS_SYMMETRIC, CUBLAS_C64, false)
BOTH(RANK_2K, Cherkx, CUBLAS_C32, CUBLAS_HERMITIAN, CUBLAS_F32, false)
BOTH(RANK_2K, Zherkx, CUBLAS_C64, CUBLAS_HERMITIAN, CUBLAS_F64, false)
