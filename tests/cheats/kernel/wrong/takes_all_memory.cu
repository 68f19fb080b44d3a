// fails: result
// Asks the device for all its memory, and for a stack without end.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 64; i++) {
        char *p = (char *)malloc((size_t)1 << 30);
        if (p) p[(size_t)i << 20] = 1;
    }
    if (r < rows) y[r] = 0;
}
