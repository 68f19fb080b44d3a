// cublasLtMatrixTransform: C = alpha op(A) + beta op(B), from any order and type to any.
#include "lt.h"

typedef struct transform {
    cublas_job job; // first
    lt_transform_desc d;
    lt_layout la, lb, lc;
    const void *a, *b;
    void *c;
    cublas_scalar alpha, beta;
} transform;

static bool add(cublas_dense *sum, const lt_layout *layout, const void *at, int64_t index, int operation,
                cublas_number factor) {
    cublas_dense values = {0};
    if (factor == 0) return true;
    bool right = lt_layout_fetch(layout, at, index, &values) &&
                 (operation == CUBLAS_N || cublas_dense_transpose(&values, operation == CUBLAS_C));
    for (size_t j = 0; right && j < sum->columns; j++)
        for (size_t i = 0; i < sum->rows; i++)
            cublas_dense_set(sum, i, j,
                             cublas_dense_get(sum, i, j) + factor * cublas_dense_get(&values, i, j));
    cublas_dense_free(&values);
    return right;
}

static cublas_status run(cublas_job *job) {
    const transform *t = (const transform *)job;
    cublas_number alpha, beta;
    bool right = cublas_scalar_read(&t->alpha, &alpha) && cublas_scalar_read(&t->beta, &beta);
    for (int64_t i = 0; i < t->lc.batch && right; i++) {
        cublas_dense c;
        bool is_complex = cublas_is_complex((cublas_type)t->lc.type);
        right = cublas_dense_make(&c, (size_t)t->lc.rows, (size_t)t->lc.columns, is_complex) &&
                add(&c, &t->la, t->a, i, t->d.ta, alpha) && add(&c, &t->lb, t->b, i, t->d.tb, beta) &&
                lt_layout_put(&t->lc, t->c, i, &c);
        cublas_dense_free(&c);
    }
    return right ? CUBLAS_SUCCESS : CUBLAS_EXECUTION_FAILED;
}

// From columns and rows to every order, from tiles of 32 columns back.
static bool is_there(const lt_layout *l, const lt_layout *lc) {
    return l->order <= LT_ROW || (l->order == LT_COL32 && lc->order <= LT_ROW);
}

// An operand of the shape of C, whole or transposed.
static bool fits(const lt_layout *l, int operation, const lt_layout *lc) {
    bool plain = operation == CUBLAS_N;
    return (unsigned)operation <= CUBLAS_C && lt_layout_is_right(l) && l->batch == lc->batch &&
           l->rows == (plain ? lc->rows : lc->columns) && l->columns == (plain ? lc->columns : lc->rows);
}

CUBLAS_FUNCTION(cublasLtMatrixTransform, cublas_handle *handle, const lt_transform_desc *d, const void *alpha,
                const void *a, const lt_layout *la, const void *beta, const void *b, const lt_layout *lb,
                void *c, const lt_layout *lc, cudaStream_t stream) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    bool has_b = b && lb;
    if (!d || !lc || !c || !alpha || (a && !la) || (has_b && !beta) || !lt_layout_is_right(lc) ||
        (a && !fits(la, d->ta, lc)) || (has_b && !fits(lb, d->tb, lc)))
        return CUBLAS_INVALID_VALUE;
    if (!cublas_is_type(lc->type) || !cublas_is_type(d->scale_type) || (a && !cublas_is_type(la->type)) ||
        (has_b && !cublas_is_type(lb->type)) || (a && !is_there(la, lc)) || (has_b && !is_there(lb, lc)) ||
        d->pointer_mode > LT_DEVICE || lc->plane)
        return CUBLAS_NOT_SUPPORTED;
    transform t = {.job = {.run = run, .routine = __func__}, .d = *d, .lc = *lc, .a = a, .b = b, .c = c};
    bool on_device = d->pointer_mode == LT_DEVICE;
    if (a) t.la = *la, t.alpha = cublas_scalar_of(on_device, alpha, (cublas_type)d->scale_type);
    if (has_b) t.lb = *lb, t.beta = cublas_scalar_of(on_device, beta, (cublas_type)d->scale_type);
    return cublas_enqueue(stream, &t.job, sizeof t);
}
