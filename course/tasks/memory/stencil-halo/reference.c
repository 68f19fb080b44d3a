// One step of the heat equation, explicit, five points; the border stays as it is.
void reference(const double *u, double *v, double *v_bound, double alpha, int64_t rows, int64_t columns) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            int64_t i = r * columns + c;
            if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1) {
                v[i] = u[i];
                v_bound[i] = 0; // a copy
                continue;
            }
            double around = u[i - columns] + u[i + columns] + u[i - 1] + u[i + 1];
            double size = fabs(u[i - columns]) + fabs(u[i + columns]) + fabs(u[i - 1]) + fabs(u[i + 1]) +
                          4 * fabs(u[i]);
            v[i] = u[i] + alpha * (around - 4 * u[i]);
            // Four additions, two products, one more addition: each term passes at most seven roundings.
            v_bound[i] = 7 * U_F32 * (fabs(u[i]) + fabs(alpha) * size);
        }
}
