// fails: gate store_sectors
// Loads are side by side, but the stores are still in chunks.
extern "C" __global__ void scale_shift(const float *x, float *y, float a, float b, int n) {
    __shared__ float tile[2048 + 64];
    int base = blockIdx.x * 2048;
    for (int k = threadIdx.x; k < 2048; k += 256)
        if (base + k < n) tile[k] = x[base + k];
    __syncthreads();
    for (int k = threadIdx.x * 8; k < threadIdx.x * 8 + 8; k++)
        if (base + k < n) y[base + k] = a * tile[k] + b;
}
