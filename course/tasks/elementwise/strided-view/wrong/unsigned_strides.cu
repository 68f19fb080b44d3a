// fails: fault
// Widens the strides as unsigned numbers: a step back becomes one of 16 GiB forward.
extern "C" __global__ void gather_view(const float *storage, float *out, int size, int rows, int cols,
                                       int offset, int row_stride, int column_stride) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    size_t at = offset + (size_t)r * (unsigned)row_stride + (size_t)c * (unsigned)column_stride;
    if (r < rows && c < cols) out[r * cols + c] = storage[at];
}
