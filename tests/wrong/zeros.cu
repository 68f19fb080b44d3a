// Writes zeros: on data that is not zero this must fail.
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 1
// expect: every element is zero

extern "C" __global__ void zeros_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = 0.0f;
}
