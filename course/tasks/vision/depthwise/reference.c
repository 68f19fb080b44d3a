// 3 x 3 window for each channel, channels last, zeros outside.
void reference(const double *x, const double *kernels, double *y, double *y_bound, int64_t height, int64_t width,
               int64_t channels) {
    for (int64_t i = 0; i < height * width * channels; i++) {
        int64_t channel = i % channels, column = i / channels % width, row = i / channels / width;
        double sum = 0, magnitude = 0;
        for (int64_t r = 0; r < 3; r++)
            for (int64_t c = 0; c < 3; c++) {
                int64_t from_row = row + r - 1, from_column = column + c - 1;
                if (from_row < 0 || from_row >= height || from_column < 0 || from_column >= width) continue;
                double product =
                    kernels[(r * 3 + c) * channels + channel] * x[(from_row * width + from_column) * channels + channel];
                sum += product;
                magnitude += fabs(product);
            }
        y[i] = sum;
        y_bound[i] = 8 * U_F32 * magnitude;
    }
}
