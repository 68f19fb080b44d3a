// fails: result
// The guard compares the row with the columns: right for square matrices only.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    int r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 32 + threadIdx.y;
    if (r < columns && c < rows && r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
}
