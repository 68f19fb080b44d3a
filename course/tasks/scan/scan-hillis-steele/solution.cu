extern "C" __global__ void scan(const int *x, int *y, int n) {
    // kz: begin
    __shared__ unsigned values[256];
    int t = threadIdx.x;
    values[t] = t < n ? (unsigned)x[t] : 0u;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        unsigned before = t >= d ? values[t - d] : 0u;
        __syncthreads(); // all have read
        values[t] += before;
        __syncthreads(); // all have written
    }
    if (t < n) y[t] = (int)values[t];
    // kz: starter
    //|     // Load (0 beyond n), barrier; rounds d = 1, 2, 4, ..., 128; store.
    // kz: end
}
