// fails: fault
// Code that runs before the harness.
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void first(void) { _exit(0); }
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
