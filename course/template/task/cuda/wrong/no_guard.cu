// fails: fault
extern "C" __global__ void @FUNCTION@(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}
