// Copies: exact. Row (channel, tap), column pixel; zeros outside.
void reference(const double *x, double *matrix, double *matrix_bound, int64_t channels, int64_t height, int64_t width) {
    for (int64_t i = 0; i < channels * 9 * height * width; i++) {
        int64_t pixel = i % (height * width), tap = i / (height * width) % 9, channel = i / (height * width) / 9;
        int64_t row = pixel / width + tap / 3 - 1, column = pixel % width + tap % 3 - 1;
        bool inside = row >= 0 && row < height && column >= 0 && column < width;
        matrix[i] = inside ? x[(channel * height + row) * width + column] : 0;
        matrix_bound[i] = 0;
    }
}
