// fails: gate load_sectors
// All values are right, but the lanes of a warp go down a column.
// kz: block 256
// kz: grid ceil(rows*cols/256)
extern "C" __global__ void gain_bias(const float *x, const float *gain, const float *bias, float *y, int rows,
                                     int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int r = i % rows, c = i / rows;
    if (i < rows * cols) y[r * cols + c] = gain[r] * x[r * cols + c] + bias[c];
}
