// The answer is right, but the input is scratch paper.
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 1
// expect: the input x was changed, first at element 0

extern "C" __global__ void changes_input_add_f32(float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += y[i];
    z[i] = x[i];
}
