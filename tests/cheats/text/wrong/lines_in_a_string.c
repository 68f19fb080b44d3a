// fails: source
// What looks like a line of the preprocessor's is in a string.
const char *text = R"x(
# 1 "/usr/include/stdio.h"
)x";
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
