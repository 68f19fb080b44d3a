// fails: result
// Starts at threadIdx.x and steps by the grid: only the first block's share is done, by all.
extern "C" __global__ void midpoint(const float *x, const float *y, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 0.5f * (x[i] + y[i]);
}
