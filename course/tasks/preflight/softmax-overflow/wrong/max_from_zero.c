// fails: result
// Starts the maximum at FLT_MIN, "the smallest float": that is the smallest positive one. Large negative
// scores all underflow.
#include <float.h>
#include <math.h>
void softmax(const float *x, float *y, float *lse, int n) {
    float max = FLT_MIN, sum = 0.0f;
    for (int i = 0; i < n; i++) max = x[i] > max ? x[i] : max;
    for (int i = 0; i < n; i++) sum += y[i] = expf(x[i] - max);
    for (int i = 0; i < n; i++) y[i] /= sum;
    lse[0] = max + logf(sum);
}
