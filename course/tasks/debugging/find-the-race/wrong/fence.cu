// fails: race
// A fence orders a thread's own accesses; it does not wait for other threads.
#define BLOCK 128

extern "C" __global__ void smooth_twice(const float *x, float *y, int n) {
    __shared__ float values[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * BLOCK, count = min(BLOCK, n - first);
    if (t < count) values[t] = x[first + t];
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        float sum = 0.0f;
        int terms = 0;
        for (int k = max(t - 1, 0); k <= min(t + 1, count - 1); k++) sum += values[k], terms++;
        __threadfence_block();
        if (t < count) values[t] = sum / terms;
        __syncthreads();
    }
    if (t < count) y[first + t] = values[t];
}
