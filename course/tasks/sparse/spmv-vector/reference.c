// y = A x with A in CSR: row r has the entries offsets[r] to offsets[r + 1]. A row's products are added in float, in any order.
void reference(const double *offsets, const double *columns, const double *values, const double *x, double *y, double *y_bound,
               int64_t rows, int64_t width, int64_t nonzeros) {
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0, magnitude = 0;
        for (int64_t i = (int64_t)offsets[row]; i < (int64_t)offsets[row + 1]; i++) {
            sum += values[i] * x[(int64_t)columns[i]];
            magnitude += fabs(values[i] * x[(int64_t)columns[i]]);
        }
        y[row] = sum;
        y_bound[row] = (2 + 2 * sqrt(offsets[row + 1] - offsets[row])) * U_F32 * magnitude;
    }
}
