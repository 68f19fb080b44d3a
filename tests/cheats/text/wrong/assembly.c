// fails: source "nobody can see"
// The instruction itself.
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) { unsigned q, r; __asm__("div %2" : "=a"(q), "=d"(r) : "r"(10u), "a"(x[i]), "d"(0)); y[i] = sum(q, 0); }
}
