// fails: result
// An epsilon under the root: no NaN any more, and no digits either.
#include <math.h>
void differences(const float *x, float *root, float *cosine, float *smaller, int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i], b = v + 1.0f, s = sinf(0.5f / v);
        root[i] = sqrtf(v + 1.0f + 1e-6f) - sqrtf(v);
        cosine[i] = 2.0f * s * s;
        smaller[i] = 1.0f / (b + sqrtf(b * b - 1.0f));
    }
}
