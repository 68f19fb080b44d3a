// fails: fault "starts no processes"
// The same with a child that shares the memory, so that nothing has to be copied.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
static struct { const float *x; float *y, factor; int n; } job;
static int work(void *unused) {
    for (int i = 0; i < job.n; i++) job.y[i] = job.factor * job.x[i];
    return 0;
}
void scale(const float *x, float *y, float factor, int n) {
    static char stack[1 << 16];
    job.x = x, job.y = y, job.factor = factor, job.n = n;
    clone(work, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
    wait(0);
}
