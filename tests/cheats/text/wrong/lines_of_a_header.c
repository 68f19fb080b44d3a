// fails: source "#line"
// Passes its lines off as those of a header of the system.
# 1 "/usr/include/stdio.h" 1
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
