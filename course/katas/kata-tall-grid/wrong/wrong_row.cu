// fails: result
// Finds the row by the wrong length.
// kz: block 256
// kz: grid ceil(rows*columns/256)
extern "C" __global__ void scale_rows(const float *x, const float *factor, float *y, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) y[i] = x[i] * factor[i % rows];
}
