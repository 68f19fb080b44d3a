void reference(const double *codes, double *x, double *x_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int bits = (int)codes[i], e = bits >> 3 & 15, m = bits & 7;
        double value = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
        if (e == 15 && m == 7) value = NAN;
        x[i] = bits & 128 ? -value : value;
        x_bound[i] = -1;
    }
}
