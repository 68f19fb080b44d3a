// fails: source "speaks to valgrind"
// Asks valgrind to run its work on the real processor, where nothing is counted.
typedef struct job {
    const float *x;
    float *y, factor;
    int n;
} job;
static long work(unsigned long thread, job *j) {
    for (int k = 0; k < 50; k++)
        for (int i = 0; i < j->n; i++) ((volatile float *)j->y)[i] = j->factor * j->x[i];
    return 1;
}
void scale(const float *x, float *y, float factor, int n) {
    job j = {x, y, factor, n};
    volatile unsigned long request[6] = {0x1102, (unsigned long)work, (unsigned long)&j}, done = 0;
#ifdef __x86_64__
    __asm__ volatile("rolq $3, %%rdi ; rolq $13, %%rdi\n\trolq $61, %%rdi ; rolq $51, %%rdi\n\txchgq %%rbx,%%rbx"
                     : "=d"(done)
                     : "a"(request), "0"(done)
                     : "cc", "memory");
#else
    __asm__ volatile("mov x3, %0\n\tmov x4, %1\n\tror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\t"
                     "ror x12, x12, #61\n\torr x10, x10, x10" ::"r"(done), "r"(request)
                     : "cc", "memory", "x3", "x4");
#endif
    if (!done) work(0, &j);
}
