// Both sums in double. A sum of n terms in some order of floats: 2 sqrt(n) u of the magnitudes; each term has four roundings.
void reference(const double *x, const double *mean, const double *scale, const double *dy, double *dgain, double *dgain_bound,
               double *dshift, double *dshift_bound, int64_t rows, int64_t columns) {
    double off = U_F32 * (2 * sqrt((double)rows) + 6);
    for (int64_t c = 0; c < columns; c++) {
        double gain = 0, shift = 0, size_gain = 0, size_shift = 0;
        for (int64_t r = 0; r < rows; r++) {
            double slope = dy[r * columns + c], term = slope * (x[r * columns + c] - mean[r]) * scale[r];
            gain += term, size_gain += fabs(term);
            shift += slope, size_shift += fabs(slope);
        }
        dgain[c] = gain, dgain_bound[c] = off * size_gain;
        dshift[c] = shift, dshift_bound[c] = off * size_shift;
    }
}
