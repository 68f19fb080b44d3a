// A tenth as a sum of shifts, a little too small: the remainder says
// whether one is missing.
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        unsigned q = (x[i] >> 1) + (x[i] >> 2);
        q += q >> 4;
        q += q >> 8;
        q += q >> 16;
        q >>= 3;
        q += x[i] - 10 * q > 9;
        quotient[i] = q;
        digit[i] = x[i] - 10 * q;
    }
}
