// fails: result
// m rounded down: 10 becomes 0, because the product never quite reaches the multiple.
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        unsigned q = (unsigned)(x[i] * 3435973836ull >> 35);
        quotient[i] = q;
        digit[i] = x[i] - 10 * q;
    }
}
