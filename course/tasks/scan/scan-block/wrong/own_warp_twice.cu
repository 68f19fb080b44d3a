// fails: result
// Adds the sum that includes the own warp.
static __device__ unsigned scan_warp(unsigned value) {
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        unsigned before = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step) value += before;
    }
    return value;
}

extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ unsigned sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned value = scan_warp(t < n ? (unsigned)x[t] : 0u);
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) sums[lane] = scan_warp(sums[lane]);
    __syncthreads();
    value += sums[warp] - (warp == 0 ? sums[0] : 0u);
    if (t < n) y[t] = (int)value;
}
