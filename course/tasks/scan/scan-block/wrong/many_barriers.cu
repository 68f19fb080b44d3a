// fails: gate barriers
static __device__ unsigned scan_warp(unsigned value) {
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        unsigned before = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step) value += before;
    }
    return value;
}

extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ unsigned values[1024];
    int t = threadIdx.x;
    values[t] = t < n ? (unsigned)x[t] : 0u;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        unsigned before = t >= d ? values[t - d] : 0u;
        __syncthreads();
        values[t] += before;
        __syncthreads();
    }
    if (t < n) y[t] = (int)values[t];
}
