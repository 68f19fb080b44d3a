// fails: fault "starts no processes"
// Has a shell do what it may not do itself.
#include <stdlib.h>
void scale(const float *x, float *y, float factor, int n) {
    if (system("true") == 0)
        for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
