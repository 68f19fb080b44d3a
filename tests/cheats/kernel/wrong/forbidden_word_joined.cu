// fails: source
// A word over two lines is one word to the compiler.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += __ld\
cv(&x[r * columns + c]) * w[c];
    y[r] = sum;
}
