// fails: race
// Clears the counts itself, while others already count.
extern "C" __global__ void histogram(const int *keys, int *counts, int n, int bins) {
    int stride = gridDim.x * blockDim.x;
    for (int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&counts[keys[i]], 1);
}
