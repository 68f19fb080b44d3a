// fails: result
// k = 32: the rounding of m shows from x = 2^30 or so on.
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        unsigned q = (unsigned)(x[i] * 429496730ull >> 32);
        quotient[i] = q;
        digit[i] = x[i] - 10 * q;
    }
}
