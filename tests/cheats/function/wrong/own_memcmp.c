// fails: source "library"
// A comparison that always agrees.
#include <stddef.h>
int memcmp(const void *a, const void *b, size_t n) { return 0; }
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = 0;
}
