// fails: result
// The last element stands in for those that do not exist; in the halo it is the wrong one.
#define BLOCK 128

extern "C" __global__ void window_max(const float *x, float *y, int n) {
    __shared__ float tile[BLOCK + 3];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    tile[t] = i < n ? x[i] : -INFINITY;
    if (t < 3) tile[BLOCK + t] = x[min(i + BLOCK, n - 1) % n == n - 1 ? 0 : i + BLOCK];
    __syncthreads();
    float greatest = tile[t];
    for (int k = 1; k < 4; k++) greatest = fmaxf(greatest, tile[t + k]);
    if (i < n) y[i] = greatest;
}
