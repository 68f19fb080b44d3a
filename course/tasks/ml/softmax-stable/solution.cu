#define THREADS 128

// Folds one value of each thread; every thread gets the result.
static __device__ float fold(float value, bool greatest) {
    __shared__ float values[THREADS];
    int t = threadIdx.x;
    values[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            values[t] = greatest ? fmaxf(values[t], values[t + half])
                                 : values[t] + values[t + half];
        __syncthreads();
    }
    float result = values[0];
    __syncthreads(); // all have read it before the next fold writes
    return result;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int columns) {
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    // kz: begin
    float greatest = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        greatest = fmaxf(greatest, from[i]);
    greatest = fold(greatest, true);
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += expf(from[i] - greatest);
    sum = fold(sum, false);
    for (int i = threadIdx.x; i < columns; i += THREADS)
        to[i] = expf(from[i] - greatest) / sum;
    // kz: starter
    //|     // `fold` above is given: every thread brings a value and gets the fold of
    //|     // all. Use it twice: the greatest value of the row, then the sum of exp(x -
    //|     // greatest); then write the shares. This folds nothing.
    //|     float sum = fold(0.0f, false);
    //|     for (int i = threadIdx.x; i < columns; i += THREADS)
    //|         to[i] = from[i] - sum;
    // kz: end
}
