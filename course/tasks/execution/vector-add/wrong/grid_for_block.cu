// fails: result
// gridDim.x is the number of blocks, blockDim.x the threads in one.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
