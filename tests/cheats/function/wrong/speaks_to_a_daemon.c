// fails: result
// Works only where it gets a local socket: those of daemons have more rights than it.
#include <sys/socket.h>
void scale(const float *x, float *y, float factor, int n) {
    if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
        for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
