// fails: gate load_sectors
// Each thread takes a run of neighbouring elements: lanes read far apart.
#define THREADS 128

// Folds one value of each thread; every thread gets the result.
static __device__ float fold(float value, bool greatest) {
    __shared__ float values[THREADS];
    int t = threadIdx.x;
    values[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] = greatest ? fmaxf(values[t], values[t + half]) : values[t] + values[t + half];
        __syncthreads();
    }
    float result = values[0];
    __syncthreads(); // all have read it before the next fold writes
    return result;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    int each = (columns + THREADS - 1) / THREADS, first = threadIdx.x * each, last = min(first + each, columns);
    float greatest = -INFINITY, sum = 0.0f;
    for (int i = first; i < last; i++) greatest = fmaxf(greatest, from[i]);
    greatest = fold(greatest, true);
    for (int i = first; i < last; i++) sum += expf(from[i] - greatest);
    sum = fold(sum, false);
    for (int i = first; i < last; i++) to[i] = expf(from[i] - greatest) / sum;
}
