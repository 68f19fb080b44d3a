// fails: gate atomics
// Right, and not what was asked for.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
    y[r] = 0;
    atomicAdd(&y[r], sum);
}
