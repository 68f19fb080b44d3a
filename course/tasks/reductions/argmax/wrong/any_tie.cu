// fails: result
// Ties go to the pair that came first in the tree.
extern "C" __global__ void argmax(const float *x, int *where, int rows, int columns) {
    __shared__ float values[256];
    __shared__ int places[256];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * columns;
    values[t] = -INFINITY;
    places[t] = 0;
    for (int c = t; c < columns; c += 256)
        if (row[c] > values[t]) values[t] = row[c], places[t] = c;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && values[t + half] > values[t])
            values[t] = values[t + half], places[t] = places[t + half];
    }
    if (t == 0) where[blockIdx.x] = places[0];
}
