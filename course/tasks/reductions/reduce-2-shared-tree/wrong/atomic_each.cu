// fails: gate atomics
extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, x[i]);
}
