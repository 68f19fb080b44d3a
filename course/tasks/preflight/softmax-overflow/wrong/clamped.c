// fails: result
// Clamps the exponent so that nothing overflows: all large scores become equal.
#include <math.h>
void softmax(const float *x, float *y, float *lse, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += y[i] = expf(fminf(x[i], 80.0f));
    for (int i = 0; i < n; i++) y[i] /= sum;
    lse[0] = logf(sum);
}
