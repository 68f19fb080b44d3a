// fails: source "is not to be used"
// A blank behind the backslash joins the lines as well: no comment begins in the second. \ 
/*
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = sum(x[i] / 10, 0);
}
// */
