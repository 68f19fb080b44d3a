// fails: result
// Shifts by the mean: enough for scores that lie close together, not for those of 1e30.
#include <math.h>
void softmax(const float *x, float *y, float *lse, int n) {
    float mean = 0.0f, sum = 0.0f;
    for (int i = 0; i < n; i++) mean += x[i] / (float)n;
    for (int i = 0; i < n; i++) sum += y[i] = expf(x[i] - mean);
    for (int i = 0; i < n; i++) y[i] /= sum;
    lse[0] = mean + logf(sum);
}
