// fails: race
// Two threads for one row: whoever comes last wins.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = r / 2;
    if (mine >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++) sum += x[mine * columns + c] * w[c];
    y[mine] = r % 2 ? sum : 0;
}
