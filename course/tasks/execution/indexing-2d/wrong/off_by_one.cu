// fails: fault
// cols - c instead of cols - 1 - c: column 0 reads past the row, and at last past the image.
extern "C" __global__ void mirror(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - c)];
}
