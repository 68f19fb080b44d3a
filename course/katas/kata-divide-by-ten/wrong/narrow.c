// fails: result
// The product is computed in 32 bits, and its upper half is lost.
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        unsigned q = (unsigned)((unsigned long long)(x[i] * 3435973837u) >> 35);
        quotient[i] = q;
        digit[i] = x[i] - 10 * q;
    }
}
