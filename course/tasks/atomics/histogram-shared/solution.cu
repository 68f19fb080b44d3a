extern "C" __global__ void histogram(const int *keys, int *counts, int n,
                                     int bins) {
    // kz: begin
    __shared__ int mine[256];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[keys[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (mine[b]) atomicAdd(&counts[b], mine[b]);
    // kz: starter
    //|     // Clear, barrier, count in shared memory, barrier, merge.
    // kz: end
}
