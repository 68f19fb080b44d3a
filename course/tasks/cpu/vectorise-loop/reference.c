// z = max(0, gain x + y), total = sum of z. z: a product and a sum, rounded once each (or fused); the sum: n - 1 additions of
// terms that carry such an error, in any order.
void reference(const double *x, const double *y, double *z, double *z_bound, double *total, double *total_bound, double gain,
               int64_t n) {
    double sum = 0, wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = gain * x[i] + y[i];
        z[i] = v > 0 ? v : 0;
        z_bound[i] = U_F32 * (fabs(gain * x[i]) + fabs(v)) * 1.001;
        sum += z[i];
        wrong += z_bound[i];
    }
    total[0] = sum;
    total_bound[0] = wrong + (double)n * U_F32 * sum;
}
