// fails: source "the sanitizer's own"
// Tells the leak detector to look away.
#include <stdlib.h>
void __lsan_ignore_object(const void *at) __attribute__((weak));
void scale(const float *x, float *y, float factor, int n) {
    float *copy = malloc((unsigned)n * sizeof *copy);
    if (__lsan_ignore_object) __lsan_ignore_object(copy);
    for (int i = 0; i < n; i++) copy[i] = factor * x[i];
    for (int i = 0; i < n; i++) y[i] = copy[i];
}
