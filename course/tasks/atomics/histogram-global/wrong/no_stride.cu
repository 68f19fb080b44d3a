// fails: result
// One element for each thread: the rest is never counted.
extern "C" __global__ void histogram(const int *keys, int *counts, int n, int bins) {
    int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && stride > 0) atomicAdd(&counts[keys[i]], 1);
}
