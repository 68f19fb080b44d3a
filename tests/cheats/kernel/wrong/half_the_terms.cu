// fails: result
// Every other column counts twice: nearly right on average.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c += 2) sum += (c + 1 < columns ? 2 : 1) * x[r * columns + c] * w[c];
    y[r] = sum;
}
