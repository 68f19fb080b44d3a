// fails: finding "through a pipe"
// Lets the kernel copy, which no instrument counts.
#include <unistd.h>
void scale(const float *x, float *y, float factor, int n) {
    int ends[2];
    if (pipe(ends) != 0) return;
    for (int i = 0; i < n; i++) y[i] = 0;
    if (write(ends[1], x, n * sizeof *x) < 0 || read(ends[0], y, n * sizeof *y) < 0) return;
    for (int i = 0; i < n; i++) y[i] = factor * y[i];
    close(ends[0]), close(ends[1]);
}
