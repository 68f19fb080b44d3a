// fails: gate load_sectors
// The greatest value first, the sum in a second reading.
#define THREADS 128

extern "C" __global__ void cross_entropy(const float *x, const int *labels, float *losses, int rows, int columns) {
    __shared__ float values[THREADS];
    int row = blockIdx.x, t = threadIdx.x;
    const float *from = &x[(size_t)row * columns];
    float greatest = -INFINITY, sum = 0.0f;
    for (int i = t; i < columns; i += THREADS) greatest = fmaxf(greatest, from[i]);
    values[t] = greatest;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] = fmaxf(values[t], values[t + half]);
        __syncthreads();
    }
    greatest = values[0];
    __syncthreads();
    for (int i = t; i < columns; i += THREADS) sum += expf(from[i] - greatest);
    values[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0) losses[row] = (greatest - from[labels[row]]) + logf(values[0]);
}
