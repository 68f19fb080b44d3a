// fails: fault
// Sends far more than an answer, for the grader to keep.
#include <stdlib.h>
#include <unistd.h>
static char block[1 << 20];
void scale(const float *x, float *y, float factor, int n) {
    for (int fd = 64; fd < 640; fd++)
        for (int i = 0; i < 400 && write(fd, block, sizeof block) > 0; i++) {}
    _exit(0);
}
