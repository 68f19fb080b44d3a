// 5 x 5 window, zeros outside; 25 products added in float.
void reference(const double *x, const double *kernel, double *y, double *y_bound, int64_t height, int64_t width) {
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            double sum = 0, magnitude = 0;
            for (int64_t r = 0; r < 5; r++)
                for (int64_t c = 0; c < 5; c++) {
                    int64_t at_row = row + r - 2, at_column = column + c - 2;
                    if (at_row < 0 || at_row >= height || at_column < 0 || at_column >= width) continue;
                    double product = kernel[r * 5 + c] * x[at_row * width + at_column];
                    sum += product;
                    magnitude += fabs(product);
                }
            y[row * width + column] = sum;
            y_bound[row * width + column] = 12 * U_F32 * magnitude;
        }
}
