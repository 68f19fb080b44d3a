extern "C" __global__ void scan(const int *x, int *y, int n) {
    // kz: begin
    __shared__ unsigned a[512];
    int k = threadIdx.x;
    a[k] = k < n ? (unsigned)x[k] : 0u;
    a[k + 256] = k + 256 < n ? (unsigned)x[k + 256] : 0u;
    for (int d = 1; d < 512; d *= 2) {
        __syncthreads();
        int right = 2 * d * (k + 1) - 1;
        if (right < 512) a[right] += a[right - d];
    }
    __syncthreads();
    if (k == 0) a[511] = 0;
    for (int d = 256; d > 0; d /= 2) {
        __syncthreads();
        int right = 2 * d * (k + 1) - 1;
        if (right < 512) {
            unsigned left = a[right - d];
            a[right - d] = a[right];
            a[right] += left;
        }
    }
    __syncthreads();
    if (k < n) y[k] = (int)a[k];
    if (k + 256 < n) y[k + 256] = (int)a[k + 256];
    // kz: starter
    //|     // Load two elements for each thread; up; clear the root; down; store.
    // kz: end
}
