// fails: result
// exp of a hundred is infinite in float.
#include <math.h>
void softmax(const float *x, float *y, float *lse, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += expf(x[i]);
    for (int i = 0; i < n; i++) y[i] = expf(x[i]) / sum;
    lse[0] = logf(sum);
}
