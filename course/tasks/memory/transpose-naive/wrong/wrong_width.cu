// fails: result
// `out` has rows of `rows` elements, not of `columns`.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    int r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 32 + threadIdx.y;
    if (r < rows && c < columns) out[min(c * columns + r, rows * columns - 1)] = in[r * columns + c];
}
