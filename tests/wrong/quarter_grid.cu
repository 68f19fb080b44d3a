// A quarter of the blocks that the data needs.
// kz: block 256
// kz: grid ceil(n/1024)
// family: vector_add
// case: add-f32-n4096-uniform
// exit: 1
// expect: only the tail is wrong: the last 3072 of 4096

extern "C" __global__ void quarter_grid_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
