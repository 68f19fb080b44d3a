// Cosines and sines of random angles.
void inputs(uint64_t seed, double *x, double *cosines, double *sines, int64_t tokens, int64_t heads, int64_t width) {
    (void)seed, (void)x, (void)heads;
    for (int64_t i = 0; i < tokens * width / 2; i++) {
        double angle = 20 * cosines[i];
        cosines[i] = cos(angle), sines[i] = sin(angle);
    }
}

void reference(double *x, double *x_bound, const double *cosines, const double *sines, int64_t tokens, int64_t heads,
               int64_t width) {
    int64_t half = width / 2;
    for (int64_t v = 0; v < tokens * heads; v++)
        for (int64_t i = 0; i < half; i++) {
            double *at = &x[v * width + i], *bound = &x_bound[v * width + i], a = at[0], b = at[half];
            double c = cosines[v / heads * half + i], s = sines[v / heads * half + i];
            at[0] = a * c - b * s;
            at[half] = a * s + b * c;
            bound[0] = 2 * U_F32 * (fabs(a * c) + fabs(b * s));
            bound[half] = 2 * U_F32 * (fabs(a * s) + fabs(b * c));
        }
}
