// fails: fault
// Takes memory until there is none.
#include <stdlib.h>
#include <string.h>
void scale(const float *x, float *y, float factor, int n) {
    for (size_t size = (size_t)1 << 28;; size += size) {
        volatile char *p = malloc(size);
        for (size_t i = 0; i < size; i += 4096) p[i] = 1;
    }
}
