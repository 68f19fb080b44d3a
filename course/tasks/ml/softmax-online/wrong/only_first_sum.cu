// fails: result
// Corrects only one side.
#define THREADS 128

typedef struct pair {
    float greatest, sum; // of exp(x - greatest)
} pair;

static __device__ pair merge(pair a, pair b) {
    float larger = fmaxf(a.greatest, b.greatest);
    float left = a.sum == 0.0f ? 0.0f : a.sum * expf(a.greatest - larger);
    return (pair){larger, left + b.sum};
}

extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    __shared__ pair pairs[THREADS];
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    int t = threadIdx.x;
    pair mine = {-INFINITY, 0.0f};
    for (int i = t; i < columns; i += THREADS) mine = merge(mine, (pair){from[i], 1.0f});

    pairs[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) pairs[t] = merge(pairs[t], pairs[t + half]);
        __syncthreads();
    }
    pair all = pairs[0];
    for (int i = t; i < columns; i += THREADS) to[i] = expf(from[i] - all.greatest) / all.sum;
}
