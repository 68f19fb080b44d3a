// fails: result
// Forgets to divide the two sums by the number of columns.
#include <math.h>

void layernorm_backward(const float *x, const float *gamma, const float *dy, float *dx, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        const float *row = x + r * cols, *up = dy + r * cols;
        float mean = 0.0f, var = 0.0f;
        for (int c = 0; c < cols; c++) mean += row[c];
        mean /= (float)cols;
        for (int c = 0; c < cols; c++) var += (row[c] - mean) * (row[c] - mean);
        float inverse = 1.0f / sqrtf(var / (float)cols + 1e-5f);

        float mean_g = 0.0f, mean_gh = 0.0f;
        for (int c = 0; c < cols; c++) {
            mean_g += gamma[c] * up[c];
            mean_gh += gamma[c] * up[c] * (row[c] - mean) * inverse;
        }
        for (int c = 0; c < cols; c++)
            dx[r * cols + c] = inverse * (gamma[c] * up[c] - mean_g - (row[c] - mean) * inverse * mean_gh);
    }
}
