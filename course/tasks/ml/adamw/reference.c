// The magnitudes' roundings: 1 - beta is rounded (its relative error is below 2 u / (1 - beta)), then products and sums.
void reference(double *w, double *w_bound, const double *g, double *m, double *m_bound, double *v, double *v_bound, int64_t n,
               double rate, double beta1, double beta2, double epsilon, double decay, double correction1, double correction2) {
    for (int64_t i = 0; i < n; i++) {
        double old_m = beta1 * m[i], new_m = (1 - beta1) * g[i], old_v = beta2 * v[i], new_v = (1 - beta2) * g[i] * g[i];
        m[i] = old_m + new_m, v[i] = old_v + new_v;
        m_bound[i] = U_F32 * (3 * fabs(old_m) + 4 * fabs(new_m)) + 0x1p-126;
        v_bound[i] = U_F32 * (3 * old_v + 5 * new_v) + 0x1p-126;
        double root = sqrt(v[i] / correction2) + epsilon, step = m[i] / correction1 / root;
        double of_root = sqrt(v[i] / correction2) * 6 * U_F32 + sqrt(v_bound[i] / correction2) * (v[i] < 0x1p-100);
        double wrong = m_bound[i] / correction1 / root + fabs(step) * (of_root / root + 5 * U_F32);
        w_bound[i] = rate * (wrong + 3 * U_F32 * fabs(decay * w[i])) + 2 * U_F32 * (fabs(w[i]) + rate * fabs(step)) + 0x1p-126;
        w[i] -= rate * (step + decay * w[i]);
    }
}
