// fails: source "is not to be used"
// L'/*' is a character, and no comment begins in it.
int from = L'/*';
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
int to = L'*/';
