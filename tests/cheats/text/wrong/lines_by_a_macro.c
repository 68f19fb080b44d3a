// fails: source "#line"
// The same, where the directive is found by the preprocessor alone.
#define HERE 1 "/usr/include/stdio.h"
/* */ # /* */ line HERE
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
