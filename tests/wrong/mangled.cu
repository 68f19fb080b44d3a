// A C++ name, which nothing can be found by.
// family: vector_add
// exit: 2
// expect: extern "C"

__global__ void mangled_add_f32(const float *x, const float *y, float *z, size_t n) {
    if (threadIdx.x < n) z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}
