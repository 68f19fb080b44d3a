// fails: fault
// Exchanges the strides: the transposed view runs off the end.
extern "C" __global__ void gather_view(const float *storage, float *out, int size, int rows, int cols,
                                       int offset, int row_stride, int column_stride) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) out[r * cols + c] = storage[offset + r * column_stride + c * row_stride];
}
