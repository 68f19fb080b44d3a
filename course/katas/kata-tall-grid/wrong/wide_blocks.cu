// fails: gate threads
// Rows in x, and a block of 1024 for each: most of its threads have no column.
// kz: block 1024
// kz: grid rows ceil(columns/1024)
extern "C" __global__ void scale_rows(const float *x, const float *factor, float *y, int rows, int columns) {
    int r = blockIdx.x, c = blockIdx.y * blockDim.x + threadIdx.x;
    if (r < rows && c < columns) y[r * columns + c] = x[r * columns + c] * factor[r];
}
