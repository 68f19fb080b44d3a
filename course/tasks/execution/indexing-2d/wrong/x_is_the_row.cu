// fails: result
// Exchanges x and y with the grid as it is: most of a wide image is never reached.
extern "C" __global__ void mirror(const float *in, float *out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
