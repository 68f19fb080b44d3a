// x runs over many powers of two from 2^-10 to 2^24, so that the differences lose all digits somewhere.
// Bounds: 8 roundings, relative to the result. (sinf of the C library is good to about one unit in the last place.)
void inputs(uint64_t seed, double *x, int64_t n) {
    (void)seed;
    for (int64_t i = 0; i < n; i++) x[i] = (double)(float)ldexp(0.75 + 0.25 * x[i], (int)((i * 11) % 35) - 10);
}

void reference(const double *x, double *root, double *root_bound, double *cosine, double *cosine_bound, double *smaller,
               double *smaller_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], angle = 1 / v;
        root[i] = 1 / (sqrt(v + 1) + sqrt(v));
        // the angle 1/x is rounded, too: its relative error enters twice, and more where the cosine is steep
        cosine[i] = 2 * sin(angle / 2) * sin(angle / 2);
        smaller[i] = 1 / (v + 1 + sqrt((v + 1) * (v + 1) - 1));
        root_bound[i] = 8 * U_F32 * root[i];
        cosine_bound[i] = 8 * U_F32 * cosine[i] + U_F32 * fabs(sin(angle) * angle);
        smaller_bound[i] = 12 * U_F32 * smaller[i] * (1 + 1 / sqrt(v)); // v + 1 is rounded before the root: it counts for small v
    }
}
