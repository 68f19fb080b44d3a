// fails: result
// Works only where it reads files that are no part of what it needs.
#include <fcntl.h>
void scale(const float *x, float *y, float factor, int n) {
    if (open("/etc/fstab", O_RDONLY) >= 0 || open("/etc/hosts", O_RDONLY) >= 0)
        for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
