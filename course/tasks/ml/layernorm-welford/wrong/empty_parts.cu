// fails: result "NaN"
// Divides 0 by 0 if two threads have no elements.
#define THREADS 128
#define EPSILON 1e-5f

typedef struct moments {
    float count, mean, squares; // squares: the sum of squared differences to the mean
} moments;

static __device__ moments merge(moments a, moments b) {
    float count = a.count + b.count;
    float difference = b.mean - a.mean, share = b.count / count;
    return (moments){count, a.mean + difference * share, a.squares + b.squares + difference * difference * a.count * share};
}

extern "C" __global__ void layernorm(const float *x, const float *gain, const float *shift, float *y, int rows, int columns) {
    __shared__ moments all[THREADS];
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    int t = threadIdx.x;
    moments mine = {0.0f, 0.0f, 0.0f};
    for (int i = t; i < columns; i += THREADS) mine = merge(mine, (moments){1.0f, from[i], 0.0f});

    all[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) all[t] = merge(all[t], all[t + half]);
        __syncthreads();
    }
    float mean = all[0].mean, scale = rsqrtf(all[0].squares / columns + EPSILON);
    for (int i = t; i < columns; i += THREADS) to[i] = (from[i] - mean) * scale * gain[i] + shift[i];
}
