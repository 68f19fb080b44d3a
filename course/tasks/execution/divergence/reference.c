// Even elements: the sum of 24 powers of x, by Horner. Odd elements: 24 steps of v -> v - (v*v - (1 + x)) /
// 4, which goes to the square root of 1 + x. Bounds: Horner with |x| <= 0.9 loses at most 2 U per step, of a
// sum of at most 10: 48 U * the sum of |x|^k. The iteration's step has the slope 1 - v/2, between 0.3 and
// 0.9 here, and v is at most 1.4: an error of a step (4 roundings of numbers up to 2) is carried on by at
// most 24 steps: 24 * 4 * 2 U.
void reference(const double *x, double *out, double *out_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double v = 1, magnitude = 1;
        for (int step = 0; step < 24; step++) {
            if (i % 2 == 0)
                v = v * x[i] + 1;
            else
                v = v - 0.25 * (v * v - (1 + x[i]));
            magnitude = magnitude * fabs(x[i]) + 1;
        }
        out[i] = v;
        out_bound[i] = i % 2 == 0 ? 48 * U_F32 * magnitude : 192 * U_F32;
    }
}
