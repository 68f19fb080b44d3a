// fails: source "is not to be used"
// R begins a raw string where it is the whole prefix alone.
#define XR
const char *from = XR"(";
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
const char *to = ")";
