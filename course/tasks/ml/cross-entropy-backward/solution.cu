#define THREADS 128

typedef struct pair {
    float greatest, sum; // of exp(x - greatest)
} pair;

static __device__ pair merge(pair a, pair b) {
    float larger = fmaxf(a.greatest, b.greatest);
    float left = a.sum == 0.0f ? 0.0f : a.sum * expf(a.greatest - larger);
    float right = b.sum == 0.0f ? 0.0f : b.sum * expf(b.greatest - larger);
    return (pair){larger, left + right};
}

extern "C" __global__ void
cross_entropy_backward(float *logits, const int *labels, int rows,
                       int columns, float smoothing, float scale) {
    __shared__ pair pairs[THREADS];
    int row = blockIdx.x, t = threadIdx.x, label = labels[row];
    float *at = &logits[(size_t)row * columns];
    // kz: begin
    if (label < 0) { // the whole block
        for (int i = t; i < columns; i += THREADS) at[i] = 0.0f;
        return;
    }
    // kz: starter
    //|     if (label < 0) return; // is that all, for a row without a label?
    // kz: end
    pair mine = {-INFINITY, 0.0f};
    for (int i = t; i < columns; i += THREADS)
        mine = merge(mine, (pair){at[i], 1.0f});
    pairs[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) pairs[t] = merge(pairs[t], pairs[t + half]);
        __syncthreads();
    }
    pair all = pairs[0];
    // kz: begin
    float each = smoothing / columns, own = 1.0f - smoothing;
    for (int i = t; i < columns; i += THREADS) {
        float share = expf(at[i] - all.greatest) / all.sum;
        at[i] = scale * (share - each - (i == label ? own : 0.0f));
    }
    // kz: starter
    //|     // The shares alone; where are the targets?
    //|     for (int i = t; i < columns; i += THREADS)
    //|         at[i] = expf(at[i] - all.greatest) / all.sum;
    // kz: end
}
