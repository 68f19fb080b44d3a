// fails: result
// Multiplies by the number of rows: right only if the image is square.
extern "C" __global__ void mirror(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols && r * rows + c < rows * cols)
        out[r * rows + c] = in[(r * rows + (cols - 1 - c)) % (rows * cols)];
}
