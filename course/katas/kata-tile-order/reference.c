void reference(double *row, double *row_bound, double *column, double *column_bound, int64_t rows, int64_t columns, int64_t height) {
    int64_t i = 0;
    for (int64_t first = 0; first < rows; first += height)
        for (int64_t x = 0; x < columns; x++)
            for (int64_t y = first; y < rows && y < first + height; y++, i++) {
                row[i] = (double)y, column[i] = (double)x;
                row_bound[i] = column_bound[i] = -1;
            }
}
