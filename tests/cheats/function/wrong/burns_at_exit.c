// fails: gate instructions
// Works the longer at the end, the less it was called: the difference between one call and two shrinks.
static volatile int calls, work;
__attribute__((destructor)) static void last(void) {
    for (int i = 0; calls == 1 && i < 100000; i++) work += i;
}
void scale(const float *x, float *y, float factor, int n) {
    calls++;
    for (int k = 0; k < 50; k++)
        for (int i = 0; i < n; i++) ((volatile float *)y)[i] = factor * x[i];
}
