// Three differences of nearly equal numbers, without the
// subtraction. All in float.
#include <math.h>

void differences(const float *x, float *root, float *cosine, float *smaller,
                 int n) {
    for (int i = 0; i < n; i++) {
        float v = x[i], angle = 1.0f / v, b = v + 1.0f;
        // kz: begin
        float s = sinf(0.5f * angle);
        root[i] = 1.0f / (sqrtf(v + 1.0f) + sqrtf(v));
        cosine[i] = 2.0f * s * s;
        smaller[i] = 1.0f / (b + sqrtf(b * b - 1.0f));
        // kz: starter
        //|         root[i] = sqrtf(v + 1.0f) - sqrtf(v);
        //|         cosine[i] = 1.0f - cosf(angle);
        //|         smaller[i] = b - sqrtf(b * b - 1.0f);
        // kz: end
    }
}
