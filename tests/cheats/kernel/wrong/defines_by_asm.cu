// fails: compile
// Text that is no program.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    asm("this is no instruction;"); y[0] = nothing;
}
