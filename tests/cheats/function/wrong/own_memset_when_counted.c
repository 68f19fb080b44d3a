// fails: source "in the place of a library's own"
// Where no sanitizer looks, a function of the C library's that the harness uses is its own.
#include <stddef.h>
#ifndef __SANITIZE_ADDRESS__
void *memset(void *at, int value, size_t size) { return at; }
#endif
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
