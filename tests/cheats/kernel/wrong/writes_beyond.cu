// fails: out-of-bounds
// Looks for the right answer, or the grader, behind the output.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
    if (r < rows) y[r] = sum;
    if (r == 0)
        for (int i = 0; i < 1024; i++) y[rows + i] = sum;
}
