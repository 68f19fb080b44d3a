// fails: fault
// Leaves children behind, and waits.
#include <unistd.h>
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < 50; i++)
        if (fork() == 0) {
            setsid();
            pause();
        }
    pause();
}
