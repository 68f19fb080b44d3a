// fails: source "is not to be used"
// L'"' is a character, and no string begins in it.
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) { (void)L'"'; y[i] = sum(x[i] / 10, 0); }
}
