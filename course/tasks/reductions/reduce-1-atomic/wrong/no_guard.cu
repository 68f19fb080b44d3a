// fails: fault
extern "C" __global__ void sum(const float *x, float *total, int n) {
    atomicAdd(total, x[blockIdx.x * blockDim.x + threadIdx.x]);
}
