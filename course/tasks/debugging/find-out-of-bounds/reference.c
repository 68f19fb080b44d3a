void reference(const double *x, double *y, double *y_bound, int64_t height, int64_t width) {
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            double sum = 0, magnitude = 0;
            int count = 0;
            static const int places[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
            for (int k = 0; k < 5; k++) {
                int64_t r = row + places[k][0], c = column + places[k][1];
                if (r < 0 || r >= height || c < 0 || c >= width) continue;
                sum += x[r * width + c], magnitude += fabs(x[r * width + c]), count++;
            }
            y[row * width + column] = sum / count;
            y_bound[row * width + column] = 5 * U_F32 * magnitude / count;
        }
}
