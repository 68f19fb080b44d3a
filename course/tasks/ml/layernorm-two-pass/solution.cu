#define THREADS 128
#define EPSILON 1e-5f

// Adds one value of each thread; every thread gets the sum.
static __device__ float add_up(float value) {
    __shared__ float values[THREADS];
    int t = threadIdx.x;
    values[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    float result = values[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void layernorm(const float *x, const float *gain,
                                     const float *shift, float *y, int rows,
                                     int columns) {
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    // kz: begin
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += from[i];
    float mean = add_up(sum) / columns;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        squares += (from[i] - mean) * (from[i] - mean);
    float scale = rsqrtf(add_up(squares) / columns + EPSILON);
    for (int i = threadIdx.x; i < columns; i += THREADS)
        to[i] = (from[i] - mean) * scale * gain[i] + shift[i];
    // kz: starter
    //|     // The mean first; then the sum of the squared differences to
    //|     // it; then every element. This takes 0 for all sums.
    //|     float mean = add_up(0.0f) / columns;
    //|     for (int i = threadIdx.x; i < columns; i += THREADS)
    //|         to[i] = from[i] - mean;
    // kz: end
}
