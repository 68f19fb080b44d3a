// fails: result
// The starter: parts count the same.
// Rows of parts of a softmax mean, merged.
#include <math.h>

void combine(const float *greatest, const float *sums, const float *means,
             float *out, int rows, int parts, int width) {
    for (int row = 0; row < rows; row++) {
        const float *top = &greatest[row * parts], *sum = &sums[row * parts];
        float *to = &out[row * width], largest = -INFINITY, total = 0.0f;
        for (int p = 0; p < parts; p++) largest = fmaxf(largest, top[p]);
        for (int i = 0; i < width; i++) to[i] = 0.0f;
        for (int p = 0; p < parts; p++) {
            if (sum[p] == 0.0f) continue; // nothing in it
            float weight = 1.0f;
            total += weight;
            for (int i = 0; i < width; i++)
                to[i] += weight * means[(row * parts + p) * width + i];
        }
        for (int i = 0; i < width && total > 0.0f; i++) to[i] /= total;
    }
}
