// fails: result
// Writes with the view's strides as well, not side by side.
extern "C" __global__ void gather_view(const float *storage, float *out, int size, int rows, int cols,
                                       int offset, int row_stride, int column_stride) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols) return;
    int at = offset + r * row_stride + c * column_stride;
    if (at < rows * cols) out[at] = storage[at];
}
