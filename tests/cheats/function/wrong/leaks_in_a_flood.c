// fails: finding "report was lost"
// Leaks, and prints so much that what LeakSanitizer says is cut off.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void first(void) {
    static char much[1 << 16];
    memset(much, 'a', sizeof much);
    for (int i = 0; i < 64; i++)
        if (write(2, much, sizeof much) < 0) return;
}
void scale(const float *x, float *y, float factor, int n) {
    float *all = malloc(sizeof *all * (size_t)n);
    for (int i = 0; i < n; i++) ((volatile float *)all)[i] = factor * x[i];
    for (int i = 0; i < n; i++) y[i] = ((volatile float *)all)[i];
}
