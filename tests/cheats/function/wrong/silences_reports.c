// fails: source "the sanitizer's own"
// What the compiler calls when an access is out of bounds does nothing.
#include <stddef.h>
#if defined __SANITIZE_ADDRESS__ || defined __clang__
void __asan_report_store4(void *at) {}
#endif
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i <= n; i++) y[i] = factor * x[i];
}
