// fails: result
// One of the three rewritten.
#include <math.h>
void differences(const float *x, float *root, float *cosine, float *smaller, int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i], angle = 1.0f / v, b = v + 1.0f;
        root[i] = 1.0f / (sqrtf(v + 1.0f) + sqrtf(v));
        cosine[i] = 1.0f - cosf(angle);
        smaller[i] = b - sqrtf(b * b - 1.0f);
    }
}
