// fails: fault "64 MiB"
// Lifts the limit on files and makes a huge one.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
void scale(const float *x, float *y, float factor, int n) {
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    if (ftruncate(open("huge", O_WRONLY | O_CREAT, 0600), 3l << 30) != 0) return;
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
