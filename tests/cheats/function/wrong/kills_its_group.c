// fails: fault
// Kills its whole group.
#include <signal.h>
void scale(const float *x, float *y, float factor, int n) {
    kill(0, SIGKILL);
}
