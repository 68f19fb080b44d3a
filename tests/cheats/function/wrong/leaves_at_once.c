// fails: fault
// The same without saying goodbye.
#include <unistd.h>
void scale(const float *x, float *y, float factor, int n) {
    _exit(0);
}
