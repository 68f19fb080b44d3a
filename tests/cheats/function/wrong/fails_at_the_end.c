// fails: finding "after its answer"
// Right, and then an exit code that says that something went wrong.
#include <unistd.h>
__attribute__((destructor)) static void last(void) { _exit(3); }
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
