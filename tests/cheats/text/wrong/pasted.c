// fails: source "is not to be used"
// An operator by a macro of a header, which has another name.
#include <sys/param.h>
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = howmany(x[i] - sum(9, 0), 10);
}
