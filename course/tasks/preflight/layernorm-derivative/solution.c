// The derivative of LayerNorm by its input: dx from x, gamma and dy, row by
// row.
#include <math.h>

void layernorm_backward(const float *x, const float *gamma, const float *dy,
                        float *dx, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        const float *row = x + r * cols, *up = dy + r * cols;
        float mean = 0.0f, var = 0.0f;
        for (int c = 0; c < cols; c++) mean += row[c];
        mean /= (float)cols;
        for (int c = 0; c < cols; c++)
            var += (row[c] - mean) * (row[c] - mean);
        float inverse = 1.0f / sqrtf(var / (float)cols + 1e-5f);

        // kz: begin
        float mean_g = 0.0f, mean_gh = 0.0f;
        for (int c = 0; c < cols; c++) {
            float g = gamma[c] * up[c], h = (row[c] - mean) * inverse;
            mean_g += g;
            mean_gh += g * h;
        }
        mean_g /= (float)cols;
        mean_gh /= (float)cols;
        for (int c = 0; c < cols; c++) {
            float g = gamma[c] * up[c], h = (row[c] - mean) * inverse;
            dx[r * cols + c] = inverse * (g - mean_g - h * mean_gh);
        }
        // kz: starter
        //|         // This takes mean and variance for constants, but every
        //|         // x of the row moves them.
        //|         for (int c = 0; c < cols; c++)
        //|             dx[r * cols + c] = inverse * gamma[c] * up[c];
        // kz: end
    }
}
