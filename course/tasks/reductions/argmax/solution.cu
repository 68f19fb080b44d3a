// kz: begin
// The better of two pairs, into the first: the larger value; of equal
// ones the smaller index.
static __device__ void take_better(float *value, int *index, float other,
                                   int place) {
    if (other > *value || (other == *value && place < *index))
        *value = other, *index = place;
}

static __device__ void fold_warp(float *value, int *index) {
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_down_sync(0xffffffffu, *value, step);
        int place = __shfl_down_sync(0xffffffffu, *index, step);
        take_better(value, index, other, place);
    }
}

// kz: end
extern "C" __global__ void argmax(const float *x, int *where, int rows,
                                  int columns) {
    // kz: begin
    __shared__ float values[8];
    __shared__ int places[8];
    int t = threadIdx.x;
    const float *row = x + (size_t)blockIdx.x * columns;

    float value = -INFINITY;
    // neutral: any real element is better, even -infinity,
    // because its index is smaller
    int index = 0x7fffffff;
    for (int c = t; c < columns; c += 256)
        take_better(&value, &index, row[c], c);
    fold_warp(&value, &index);
    if (t % 32 == 0) values[t / 32] = value, places[t / 32] = index;
    __syncthreads();
    if (t < 32) {
        value = t < 8 ? values[t] : -INFINITY;
        index = t < 8 ? places[t] : 0x7fffffff;
        fold_warp(&value, &index);
        if (t == 0) where[blockIdx.x] = index;
    }
    // kz: starter
    //|     // Each thread: the best of its elements, and where it was. Then
    //|     // fold pairs: warp, block.
    //|     const float *row = x + (size_t)blockIdx.x * columns;
    //|     float value = -INFINITY;
    //|     int index = 0;
    //|     for (int c = threadIdx.x; c < columns; c += 256)
    //|         if (row[c] > value) value = row[c], index = c;
    //|     if (threadIdx.x == 0) where[blockIdx.x] = index;
    // kz: end
}
