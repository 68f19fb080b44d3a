// fails: race
// Reads and writes between the same two barriers.
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ unsigned values[256];
    int t = threadIdx.x;
    values[t] = t < n ? (unsigned)x[t] : 0u;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        unsigned before = t >= d ? values[t - d] : 0u;
        values[t] += before;
        __syncthreads(); // all have written
    }
    if (t < n) y[t] = (int)values[t];
}
