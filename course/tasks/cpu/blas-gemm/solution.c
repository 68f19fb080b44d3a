// y = alpha * w * transpose(x) + y, row-major. w is m x k, y is m x n; x
// has n rows of which the first k floats count, ldx floats apart.
#include <cblas.h>

void update(const float *w, const float *x, float *y, int m, int n, int k,
            int ldx, float alpha) {
    // kz: begin
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, w,
                k, x, ldx, 1.0f, y, n);
    // kz: starter
    //|     // cblas_sgemm(order, transpose of a, transpose of b, m, n, k, alpha, a,
    //|     // lda, b, ldb, beta, c, ldc)
    //|     cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, w,
    //|                 k, x, n, 0.0f, y, n);
    // kz: end
}
