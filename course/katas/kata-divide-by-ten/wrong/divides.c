// fails: source
// Right, and what the exercise is to do without.
void digits(const unsigned *x, unsigned *quotient, unsigned *digit, int n) {
    for (int i = 0; i < n; i++) {
        quotient[i] = x[i] / 10;
        digit[i] = x[i] % 10;
    }
}
