// fails: result
extern "C" __global__ void warp_scan(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned value = i < n ? (unsigned)x[i] : 0u;
    for (int step = 1; step < 16; step *= 2) {
        unsigned before = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step) value += before;
    }
    if (i < n) y[i] = (int)value;
}
