// fails: fault
// Stops the machine.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) y[r] = 0;
    asm("trap;");
}
