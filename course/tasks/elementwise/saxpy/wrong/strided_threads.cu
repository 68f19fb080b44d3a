// fails: gate load_sectors
// Consecutive threads take elements 32 apart: right, and each lane fetches a sector of its own.
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int tile = t / 1024 * 1024, k = t % 1024;
    int i = tile + k % 32 * 32 + k / 32;
    if (tile + 1024 <= n)
        y[i] = a * x[i] + y[i];
    else if (t < n)
        y[t] = a * x[t] + y[t];
}
