// Exact: a copy and an index. Ties go to the lowest index.
void reference(const double *x, double *y, double *y_bound, double *where, double *where_bound, int64_t height, int64_t width) {
    int64_t columns = (width + 1) / 2, rows = (height + 1) / 2;
    for (int64_t i = 0; i < rows * columns; i++) {
        int64_t row = i / columns * 2, column = i % columns * 2, best = row * width + column;
        for (int64_t r = row; r < row + 2 && r < height; r++)
            for (int64_t c = column; c < column + 2 && c < width; c++)
                if (x[r * width + c] > x[best]) best = r * width + c;
        y[i] = x[best], y_bound[i] = 0;
        where[i] = (double)best, where_bound[i] = 0;
    }
}
