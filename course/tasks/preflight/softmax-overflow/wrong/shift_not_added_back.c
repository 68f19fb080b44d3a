// fails: result
// The softmax is right; the logarithm lacks the maximum.
#include <math.h>
void softmax(const float *x, float *y, float *lse, int n) {
    float max = x[0], sum = 0.0f;
    for (int i = 1; i < n; i++) max = x[i] > max ? x[i] : max;
    for (int i = 0; i < n; i++) sum += y[i] = expf(x[i] - max);
    for (int i = 0; i < n; i++) y[i] /= sum;
    lse[0] = logf(sum);
}
