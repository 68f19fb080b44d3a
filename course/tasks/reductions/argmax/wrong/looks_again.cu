// fails: gate load_sectors
// First the maximum, then a second pass over the row to find where it was.
extern "C" __global__ void argmax(const float *x, int *where, int rows, int columns) {
    __shared__ float values[256];
    __shared__ int place;
    int t = threadIdx.x;
    const float *row = x + (size_t)blockIdx.x * columns;
    values[t] = -INFINITY;
    if (t == 0) place = columns;
    for (int c = t; c < columns; c += 256) values[t] = fmaxf(values[t], row[c]);
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) values[t] = fmaxf(values[t], values[t + half]);
    }
    __syncthreads();
    for (int c = t; c < columns; c += 256)
        if (row[c] == values[0]) atomicMin(&place, c);
    __syncthreads();
    if (t == 0) where[blockIdx.x] = place;
}
