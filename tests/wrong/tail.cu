// The grid is rounded down: the last, partial block is missing.
// kz: block 256
// kz: grid floor(n/256)
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 1
// expect: only the last of 1025 is wrong, alone in the partial block
// expect: never written

extern "C" __global__ void tail_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
