// y = softmax(x), lse = log(sum(exp(x))), for any finite x.
#include <math.h>

void softmax(const float *x, float *y, float *lse, int n) {
    // kz: begin
    float max = x[0], sum = 0.0f;
    for (int i = 1; i < n; i++)
        if (x[i] > max) max = x[i];
    for (int i = 0; i < n; i++) {
        y[i] = expf(x[i] - max);
        sum += y[i];
    }
    for (int i = 0; i < n; i++) y[i] /= sum;
    lse[0] = max + logf(sum);
    // kz: starter
    //|     float sum = 0.0f;
    //|     for (int i = 0; i < n; i++) sum += expf(x[i]);
    //|     for (int i = 0; i < n; i++) y[i] = expf(x[i]) / sum;
    //|     lse[0] = logf(sum);
    // kz: end
}
