// total = the sum of x * 2^32, each rounded to a whole number (ties to even): at most 3001 numbers below 1.5 * 2^32, so that the
// sum is a whole number below 2^45 and exact in double. No order enters, and every bit is determined.
void reference(const double *x, double *total, double *total_bound, int64_t n) {
    (void)total_bound;
    total[0] = 0;
    for (int64_t i = 0; i < n; i++) total[0] += nearbyint(x[i] * 0x1p32);
}
