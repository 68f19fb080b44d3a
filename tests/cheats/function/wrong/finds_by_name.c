// fails: source "by their names"
// The sanitizer's own function, found when the program runs, says that the bytes beyond the end may be read.
#define _GNU_SOURCE
#include <dlfcn.h>
void scale(const float *x, float *y, float factor, int n) {
    char name[] = "__asan_unpoison_memory_regioN";
    name[sizeof name - 2] = 'n';
    void (*allow)(const volatile void *, size_t) =
        (void (*)(const volatile void *, size_t))dlsym(RTLD_DEFAULT, name);
    if (allow) allow(x, 4 * (size_t)n + 4);
    volatile float beyond = x[n];
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
