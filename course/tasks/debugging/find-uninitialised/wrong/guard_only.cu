// fails: undefined
// Elements beyond the end are still uninitialised.
#define BLOCK 128

extern "C" __global__ void window_max(const float *x, float *y, int n) {
    __shared__ float tile[BLOCK + 3];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i < n) tile[t] = x[i];
    if (t < 3) tile[BLOCK + t] = i + BLOCK < n ? x[i + BLOCK] : -INFINITY;
    __syncthreads();
    float greatest = tile[t];
    for (int k = 1; k < 4; k++) greatest = fmaxf(greatest, tile[t + k]);
    if (i < n) y[i] = greatest;
}
