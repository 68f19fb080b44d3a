// fails: source "fast-math"
// A word that counts, in a string that is no text.
static unsigned sum(unsigned a, unsigned b) { return a + b; }
__attribute__((optimize("O3", "fast-math")))
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum((unsigned)(x[i] * 0xcccccccdull >> 35), 0);
}
