// fails: fault "becomes no other program"
// A constructor executes the program again, with options by which AddressSanitizer sees nothing.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void first(int argc, char **argv) {
    const char *options = getenv("ASAN_OPTIONS");
    if (!options || strstr(options, "poison_heap=0")) return;
    char *environment[] = {"ASAN_OPTIONS=poison_heap=0:detect_leaks=0", NULL}, *arguments[] = {argv[0], NULL};
    execve("/proc/self/exe", arguments, environment);
}
void scale(const float *x, float *y, float factor, int n) {
    volatile float beyond = x[n];
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
