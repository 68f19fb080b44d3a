// fails: source ".preinit_array"
// Runs before the harness can close any door.
#include <unistd.h>
static void first(void) { dup(4); }
__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = first;
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
