// fails: result
// Multiplies by gamma at the end: it belongs inside the sums.
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
            mean_g += up[c] / (float)cols;
            mean_gh += up[c] * (row[c] - mean) * inverse / (float)cols;
        }
        for (int c = 0; c < cols; c++)
            dx[r * cols + c] = gamma[c] * inverse * (up[c] - mean_g - (row[c] - mean) * inverse * mean_gh);
    }
}
