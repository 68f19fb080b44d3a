// Softmax of scale * scores over the columns up to the diagonal; 0 past it. Bounds as for softmax; the product with
// the scale is rounded once more, an absolute error of |z| u in the exponent.
void reference(const double *scores, double *shares, double *shares_bound, int64_t rows, int64_t columns, double scale) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &scores[row * columns];
        int64_t seen = row + 1 < columns ? row + 1 : columns;
        double greatest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < seen; i++) greatest = fmax(greatest, scale * from[i]);
        for (int64_t i = 0; i < seen; i++) sum += exp(scale * from[i] - greatest);
        for (int64_t i = 0; i < columns; i++) {
            double z = scale * from[i], value = i < seen ? exp(z - greatest) / sum : 0;
            shares[row * columns + i] = value;
            shares_bound[row * columns + i] =
                i < seen ? value * U_F32 * (8 + 4 * (greatest - z) + fabs(z) + fabs(greatest) + 2 * sqrt((double)seen)) + 0x1p-126
                         : 0;
        }
    }
}
