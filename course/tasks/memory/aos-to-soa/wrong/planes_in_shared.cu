// fails: gate bank_conflicts
// Sorted while storing into shared memory, with a row length that sends neighbours to the same bank.
extern "C" __global__ void split(const float *points, float *x, float *y, float *z, int n) {
    __shared__ float words[3][256];
    int first = blockIdx.x * 256, t = threadIdx.x, count = 3 * min(256, n - first);
    for (int k = t; k < count; k += 256) words[k % 3][k / 3] = points[3 * first + k];
    __syncthreads();
    if (first + t < n) {
        x[first + t] = words[0][t];
        y[first + t] = words[1][t];
        z[first + t] = words[2][t];
    }
}
