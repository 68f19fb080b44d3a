// fails: fault
// Code that runs behind the harness, and a right answer before it.
#include <stdlib.h>
__attribute__((destructor)) static void last(void) { abort(); }
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
