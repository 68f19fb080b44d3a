// A missing semicolon: the compiler's own words are shown.
// family: vector_add
// exit: 6
// expect: does_not_compile.cu
// expect: expected a ";"

extern "C" __global__ void does_not_compile_add_f32(const float *x, const float *y, float *z, size_t n) {
    z[0] = x[0] + y[0]
}
