// fails: result
// In a row of -infinity no element is larger than the start, and the neutral pair's index comes out.
extern "C" __global__ void argmax(const float *x, int *where, int rows, int columns) {
    __shared__ float values[256];
    __shared__ int places[256];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * columns;
    float value = -INFINITY;
    int index = -1;
    for (int c = t; c < columns; c += 256)
        if (row[c] > value) value = row[c], index = c;
    values[t] = value;
    places[t] = index;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            float b = values[t + half];
            int j = places[t + half];
            if (b > values[t] || (b == values[t] && j >= 0 && j < places[t])) values[t] = b, places[t] = j;
        }
    }
    if (t == 0) where[blockIdx.x] = places[0];
}
