// fails: source "there is no"
// The word that is asked for stands where nothing is compiled.
#include <stdint.h>
#if 0
sum(1, 2)
#endif
void tenths(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = (unsigned)(x[i] * (uint64_t)0xcccccccd >> 35);
}
