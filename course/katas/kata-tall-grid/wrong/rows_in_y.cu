// fails: fault
// A block row for each row of the matrix: 65,537 of them cannot be launched.
// kz: block 32
// kz: grid ceil(columns/32) rows
extern "C" __global__ void scale_rows(const float *x, const float *factor, float *y, int rows, int columns) {
    int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < columns) y[r * columns + c] = x[r * columns + c] * factor[r];
}
