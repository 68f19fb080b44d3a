// fails: result
// Column-major with the leading dimensions that make it legal: the result comes out transposed.
#include <cblas.h>
void update(const float *w, const float *x, float *y, int m, int n, int k, int ldx, float alpha) {
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, w, k, x, ldx, 1.0f, y, m);
}
