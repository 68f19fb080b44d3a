// fails: source "before"
// Runs before the libraries do, and takes the key of the record from stdin.
#include <unistd.h>

static char key[32];

static void first(int, char **, char **) {
    if (read(0, key, sizeof key) < 0) _exit(1);
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **, char **) = first;

extern "C" void scale(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 0 * key[0];
}
