extern "C" __global__ void histogram(const int *keys, int *counts, int n,
                                     int bins) {
    // kz: begin
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[keys[i]], 1);
    // kz: starter
    //|     // A grid-stride loop over the keys, an atomic addition for each.
    // kz: end
}
