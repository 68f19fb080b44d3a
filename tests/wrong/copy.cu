// Copies the input.
// family: transpose
// case: transpose-f32-rows33-columns31-uniform
// exit: 1
// expect: the output is a copy of the input

extern "C" __global__ void copy_transpose_f32(const float *in, float *out, size_t rows, size_t columns) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) out[i] = in[i];
}
