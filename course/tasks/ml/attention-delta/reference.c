// Products of halves are exact in float; width of them are added.
void reference(const double *out, const double *dout, double *delta,
               double *delta_bound, int64_t rows, int64_t width) {
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0, magnitude = 0;
        for (int64_t c = row * width; c < (row + 1) * width; c++)
            sum += out[c] * dout[c], magnitude += fabs(out[c] * dout[c]);
        delta[row] = sum;
        delta_bound[row] =
            (2 + 2 * sqrt((double)width)) * U_F32 * magnitude;
    }
}
