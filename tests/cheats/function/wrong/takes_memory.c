// fails: fault "MiB"
// Takes more memory than there is for it, and touches it.
#include <stdlib.h>
#include <string.h>
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < 64; i++) {
        char *part = malloc(256 << 20);
        if (part) memset(part, i + 1, 256 << 20);
    }
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
