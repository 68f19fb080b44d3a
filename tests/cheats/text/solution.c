#include <stdint.h>
static unsigned sum(unsigned a, unsigned b) { return a + b; }
void tenths(const unsigned *x, unsigned *y, int n) {
    // kz: begin
    for (int i = 0; i < n; i++) y[i] = sum((unsigned)(x[i] * (uint64_t)0xcccccccd >> 35), 0);
    // kz: end
}
