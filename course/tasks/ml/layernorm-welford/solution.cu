#define THREADS 128
#define EPSILON 1e-5f

typedef struct moments {
    // squares: the sum of squared differences to the mean
    float count, mean, squares;
} moments;

static __device__ moments merge(moments a, moments b) {
    // kz: begin
    float count = a.count + b.count;
    if (count == 0.0f) return a; // two threads without elements
    float difference = b.mean - a.mean, share = b.count / count;
    return (moments){count, a.mean + difference * share,
                     a.squares + b.squares +
                         difference * difference * a.count * share};
    // kz: starter
    //|     // The moments of both parts together. One of them, or both, may have a
    //|     // count of 0.
    //|     return a;
    // kz: end
}

extern "C" __global__ void layernorm(const float *x, const float *gain,
                                     const float *shift, float *y, int rows,
                                     int columns) {
    __shared__ moments all[THREADS];
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    int t = threadIdx.x;
    moments mine = {0.0f, 0.0f, 0.0f};
    // kz: begin
    for (int i = t; i < columns; i += THREADS)
        mine = merge(mine, (moments){1.0f, from[i], 0.0f});
    // kz: starter
    //|     // Merge elements t, t + THREADS, ... into `mine`: a
    //|     // single element is {1, x, 0}.
    // kz: end
    all[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) all[t] = merge(all[t], all[t + half]);
        __syncthreads();
    }
    float mean = all[0].mean,
          scale = rsqrtf(all[0].squares / columns + EPSILON);
    for (int i = t; i < columns; i += THREADS)
        to[i] = (from[i] - mean) * scale * gain[i] + shift[i];
}
