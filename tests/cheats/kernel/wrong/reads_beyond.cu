// fails: out-of-bounds
// Reads before its input, where other buffers may lie.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) y[r] = x[-1 - r];
}
