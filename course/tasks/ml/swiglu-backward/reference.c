// s = 1 / (1 + exp(-g)): its relative error is 3 u, and where it is small that of the exponential as well, |g| + 2 u.
// From g = -88.7 on exp(-g) overflows and s is 0: the floors.
void reference(const double *gate, const double *up, const double *dh, double *dgate, double *dgate_bound, double *dup,
               double *dup_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double g = gate[i], s = 1 / (1 + exp(-g)), rest = 1 / (1 + exp(g)), bracket = 1 + g * rest;
        double of_s = U_F32 * (3 + rest * (fabs(g) + 4));
        double of_bracket = fabs(g) * (s * of_s + 2 * U_F32) + 2 * U_F32 * (1 + fabs(g) * rest);
        dup[i] = dh[i] * g * s;
        dup_bound[i] = fabs(dup[i]) * (of_s + 3 * U_F32) + (1 + fabs(dh[i] * g)) * 0x1p-126;
        dgate[i] = dh[i] * up[i] * s * bracket;
        dgate_bound[i] = fabs(dh[i] * up[i]) * s * (fabs(bracket) * (of_s + 4 * U_F32) + of_bracket) + (1 + fabs(dh[i] * up[i] * bracket)) * 0x1p-126;
    }
}
