// fails: fault launch
// An array for each thread that no machine holds.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float big[1 << 26];
    for (int k = 0; k < 1 << 26; k += 1024) big[k] = (float)k;
    if (r < rows) y[r] = big[r * 7919 & ((1 << 26) - 1)];
}
