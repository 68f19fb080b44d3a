// fails: barrier
// The first half of the block waits at one barrier, the second at another.
extern "C" __global__ void odd_part(const float *x, float *y, int n) {
    __shared__ float tile[256];
    int base = blockIdx.x * 256, length = min(256, n - base), t = threadIdx.x;
    float own = 0.0f;
    if (t % 32 < 16) {
        if (t < length) own = tile[t] = x[base + t];
        __syncthreads();
    } else {
        if (t < length) own = tile[t] = x[base + t];
        __syncthreads();
    }
    if (t < length) y[base + t] = own - tile[length - 1 - t];
}
