// A right guest on two axes, with a block of two dimensions and 32-bit sizes.
// kz: block 32 8
// kz: grid ceil(columns/32) ceil(rows/8)
// family: transpose
// exit: 0
// expect: checks passed

extern "C" __global__ void right_transpose_f32(const float *in, float *out, int rows, int columns) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && column < columns) out[(size_t)column * rows + row] = in[(size_t)row * columns + column];
}
