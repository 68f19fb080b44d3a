#define THREADS 128

typedef struct pair {
    float greatest, sum; // of exp(x - greatest)
} pair;

static __device__ pair merge(pair a, pair b) {
    // kz: begin
    float larger = fmaxf(a.greatest, b.greatest);
    // A pair of nothing has the factor 0, not exp(-inf - -inf).
    float left = a.sum == 0.0f ? 0.0f : a.sum * expf(a.greatest - larger);
    float right = b.sum == 0.0f ? 0.0f : b.sum * expf(b.greatest - larger);
    return (pair){larger, left + right};
    // kz: starter
    //|     // The greatest value of both, and both sums brought to it. A pair of no
    //|     // elements is {-INFINITY, 0}.
    //|     return a;
    // kz: end
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int columns) {
    __shared__ pair pairs[THREADS];
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    int t = threadIdx.x;
    // kz: begin
    pair mine = {-INFINITY, 0.0f};
    for (int i = t; i < columns; i += THREADS)
        mine = merge(mine, (pair){from[i], 1.0f});
    // kz: starter
    //|     // of elements t, t + THREADS, ...: a single element is {x, 1}
    //|     pair mine = {-INFINITY, 0.0f};
    // kz: end
    pairs[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) pairs[t] = merge(pairs[t], pairs[t + half]);
        __syncthreads();
    }
    pair all = pairs[0];
    for (int i = t; i < columns; i += THREADS)
        to[i] = expf(from[i] - all.greatest) / all.sum;
}
