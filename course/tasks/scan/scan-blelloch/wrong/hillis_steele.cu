// fails: gate shared_stores
// Right, with n log n work.
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ unsigned a[512];
    int k = threadIdx.x;
    a[k] = k > 0 && k - 1 < n ? (unsigned)x[k - 1] : 0u;
    a[k + 256] = k + 255 < n ? (unsigned)x[k + 255] : 0u;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        unsigned low = k >= d ? a[k - d] : 0u, high = k + 256 >= d ? a[k + 256 - d] : 0u;
        __syncthreads();
        a[k] += low, a[k + 256] += high;
        __syncthreads();
    }
    if (k < n) y[k] = (int)a[k];
    if (k + 256 < n) y[k + 256] = (int)a[k + 256];
}
