// fails: finding "leak at"
// Leaks, and ends the program before LeakSanitizer looks at its end.
#include <stdlib.h>
#include <unistd.h>
__attribute__((destructor)) static void last(void) { _exit(0); }
void scale(const float *x, float *y, float factor, int n) {
    float *all = malloc(sizeof *all * (size_t)n);
    for (int i = 0; i < n; i++) ((volatile float *)all)[i] = factor * x[i];
    for (int i = 0; i < n; i++) y[i] = ((volatile float *)all)[i];
}
