// fails: race
// Changes an input and puts it back: another thread may have read it.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float before = w[0];
    ((volatile float *)w)[0] = 0;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
    ((volatile float *)w)[0] = before;
    y[r] = sum;
}
