// Channel c has the curve t0 + t1 x + t2 x^2 + t3 x^3; the table's numbers are exact in float.
void reference(const double *x, double *y, double *y_bound, int64_t n) {
    static const double table[8][4] = {
        {0.25, 1.5, -0.125, 0.0625}, {-0.5, 0.875, 0.25, -0.03125}, {0.0, 1.0, 0.5, 0.25},
        {1.0, -1.0, 0.75, -0.5},     {0.125, 2.0, -1.5, 1.0},       {-0.75, 0.5, 0.5, 0.5},
        {2.0, 0.25, -0.25, 0.125},   {-1.25, 1.75, 0.375, -0.625},
    };
    for (int64_t c = 0; c < 8; c++)
        for (int64_t i = 0; i < n; i++) {
            const double *t = table[c];
            double a = x[c * n + i], size = 0, power = 1;
            y[c * n + i] = t[0] + a * (t[1] + a * (t[2] + a * t[3]));
            for (int k = 0; k < 4; k++, power *= fabs(a)) size += fabs(t[k]) * power;
            // Three products and three sums: each term passes at most six roundings.
            y_bound[c * n + i] = 6 * U_F32 * size;
        }
}
