// fails: fault
// Guards the element's number only: threads right of the edge write into the next row and read before the
// first.
extern "C" __global__ void mirror(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r * cols + c < rows * cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
