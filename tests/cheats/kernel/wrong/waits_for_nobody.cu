// fails: deadlock
// Waits for a flag that nobody raises.
static __device__ volatile int flag;
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    while (!flag) {}
    if (r < rows) y[r] = 0;
}
