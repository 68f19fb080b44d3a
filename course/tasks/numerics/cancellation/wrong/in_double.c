// fails: source
// Enough digits for this range, and not the lesson.
#include <math.h>
void differences(const float *x, float *root, float *cosine, float *smaller, int n) {
    for (int i = 0; i < n; i++) {
        double v = x[i], b = v + 1;
        root[i] = sqrt(v + 1) - sqrt(v);
        cosine[i] = 1 - cos(1 / v);
        smaller[i] = b - sqrt(b * b - 1);
    }
}
