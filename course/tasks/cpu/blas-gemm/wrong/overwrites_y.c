// fails: result
// beta 0: what y held is gone.
#include <cblas.h>
void update(const float *w, const float *x, float *y, int m, int n, int k, int ldx, float alpha) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, w, k, x, ldx, 0.0f, y, n);
}
