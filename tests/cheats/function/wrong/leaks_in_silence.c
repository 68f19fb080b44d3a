// fails: finding "report was lost"
// Leaks, and nobody hears what LeakSanitizer says.
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void first(void) { close(2); }
void scale(const float *x, float *y, float factor, int n) {
    float *all = malloc(sizeof *all * (size_t)n);
    for (int i = 0; i < n; i++) ((volatile float *)all)[i] = factor * x[i];
    for (int i = 0; i < n; i++) y[i] = ((volatile float *)all)[i];
}
