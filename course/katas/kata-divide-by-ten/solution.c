// x / 10 and x % 10 by a multiplication and a shift.

void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    // kz: begin
    // 2^35 / 10 = 3435973836.8, rounded up: the error 0.2 times 2^32 / 2^35
    // is 0.025, less than a tenth. And 2^32 * m < 2^64: the product fits.
    const unsigned long long m = 3435973837u;
    // kz: starter
    //|     const unsigned long long m = 1; // 2^k / 10, rounded up
    // kz: end
    for (int i = 0; i < n; i++) {
        // kz: begin
        unsigned q = (unsigned)(x[i] * m >> 35);
        // kz: starter
        //|         unsigned q = (unsigned)(x[i] * m >> 0);
        // kz: end
        quotient[i] = q;
        digit[i] = x[i] - 10 * q;
    }
}
