#define THREADS 128

typedef struct pair {
    float greatest, sum;
} pair;

static __device__ pair merge(pair a, pair b) {
    float larger = fmaxf(a.greatest, b.greatest);
    float left = a.sum == 0.0f ? 0.0f : a.sum * expf(a.greatest - larger);
    float right = b.sum == 0.0f ? 0.0f : b.sum * expf(b.greatest - larger);
    return (pair){larger, left + right};
}

extern "C" __global__ void causal_softmax(const float *scores,
                                          float *shares, int rows,
                                          int columns, float scale) {
    __shared__ pair pairs[THREADS];
    int row = blockIdx.x, t = threadIdx.x;
    const float *from = &scores[(size_t)row * columns];
    float *to = &shares[(size_t)row * columns];
    // kz: begin
    int seen = min(row + 1, columns); // scores that count
    pair mine = {-INFINITY, 0.0f};
    for (int i = t; i < seen; i += THREADS)
        mine = merge(mine, (pair){scale * from[i], 1.0f});
    pairs[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) pairs[t] = merge(pairs[t], pairs[t + half]);
        __syncthreads();
    }
    pair all = pairs[0];
    for (int i = t; i < columns; i += THREADS)
        to[i] = i < seen ? expf(scale * from[i] - all.greatest) / all.sum
                         : 0.0f;
    // kz: starter
    //|     // The online softmax of scale * from[i] over the columns that row `row` may
    //|     // see; zeros after them. merge() is given. This sees one column.
    //|     pairs[t] = merge((pair){-INFINITY, 0.0f},
    //|                      (pair){scale * from[0], 1.0f});
    //|     to[0] = pairs[t].sum;
    // kz: end
}
