// fails: finding "kernels read 0 of 300 elements of x"
// The right numbers, by the processor.
extern "C" void scale(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
