// fails: result
// t*t/2 is right for small angles only; 1/x is not always small.
#include <math.h>
void differences(const float *x, float *root, float *cosine, float *smaller, int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i], angle = 1.0f / v, b = v + 1.0f;
        root[i] = 1.0f / (sqrtf(v + 1.0f) + sqrtf(v));
        cosine[i] = 0.5f * angle * angle;
        smaller[i] = 1.0f / (b + sqrtf(b * b - 1.0f));
    }
}
