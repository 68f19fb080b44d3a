#define BLOCK 128

extern "C" __global__ void smooth_twice(const float *x, float *y, int n) {
    __shared__ float values[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * BLOCK,
        count = min(BLOCK, n - first);
    if (t < count) values[t] = x[first + t];
    // kz: begin
    __syncthreads();
    // kz: starter
    // kz: end
    for (int round = 0; round < 2; round++) {
        float sum = 0.0f;
        int terms = 0;
        for (int k = max(t - 1, 0); k <= min(t + 1, count - 1); k++)
            sum += values[k], terms++;
        // kz: begin
        __syncthreads(); // all have read
        // kz: starter
        // kz: end
        if (t < count) values[t] = sum / terms;
        __syncthreads();
    }
    if (t < count) y[first + t] = values[t];
}
