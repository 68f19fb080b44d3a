// fails: result
// Takes the end of the array for what lies before its beginning.
extern "C" __global__ void scan(const int *x, int *y, int n) {
    __shared__ unsigned values[256];
    int t = threadIdx.x;
    values[t] = t < n ? (unsigned)x[t] : 0u;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        unsigned before = values[(t - d + 256) % 256] * (n < 200 || t >= d);
        __syncthreads(); // all have read
        values[t] += before;
        __syncthreads(); // all have written
    }
    if (t < n) y[t] = (int)values[t];
}
