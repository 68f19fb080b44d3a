// fails: result
// The values are folded, but the indices do not travel with them.
extern "C" __global__ void argmax(const float *x, int *where, int rows, int columns) {
    __shared__ float values[256];
    int t = threadIdx.x, place = 0;
    const float *row = x + blockIdx.x * columns;
    float value = -INFINITY;
    for (int c = t; c < columns; c += 256)
        if (row[c] > value) value = row[c], place = c;
    values[t] = value;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) values[t] = fmaxf(values[t], values[t + half]);
    }
    __syncthreads();
    if (t == 0) where[blockIdx.x] = place;
}
