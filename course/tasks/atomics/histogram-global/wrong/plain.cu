// fails: race
// Load, add, store: counts are lost.
extern "C" __global__ void histogram(const int *keys, int *counts, int n, int bins) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) counts[keys[i]]++;
}
