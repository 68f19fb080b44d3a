// fails: fault
// Ends the process as if all were well.
#include <stdlib.h>
void scale(const float *x, float *y, float factor, int n) {
    exit(0);
}
