// fails: source "before the program begins"
// The choice of a function runs before the harness can close any door.
#include <unistd.h>
static int choice(void) { return 1; }
static int (*choose(void))(void) {
    dup(4);
    return choice;
}
static int chosen(void) __attribute__((ifunc("choose")));
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n && chosen(); i++) y[i] = factor * x[i];
}
