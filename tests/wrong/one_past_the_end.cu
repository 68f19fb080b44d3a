// Off by one: the last thread writes past the end.
// kz: block 256
// kz: grid ceil((n+1)/256)
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 4
// expect: one_past_the_end.cu:12

extern "C" __global__ void one_past_the_end_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    z[i] = i < n ? x[i] + y[i] : 0.0f;
}
