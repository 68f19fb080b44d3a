// A launch line that names an axis the family does not have.
// kz: grid ceil(m/256)
// family: vector_add
// exit: 9
// expect: unknown_axis.cu:2
// expect: ceil(m/256)
// expect: expected a known name

extern "C" __global__ void unknown_axis_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
