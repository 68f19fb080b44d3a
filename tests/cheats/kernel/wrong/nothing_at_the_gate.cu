// fails: result "never written"
// Does the work on every case but the one whose counts are a gate: nothing done there counts nothing.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || (rows == 64 && columns == 8)) return;
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) sum += x[row * columns + i] * w[i];
    y[row] = sum;
}
