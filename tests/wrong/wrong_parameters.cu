// Takes other parameters than the family gives.
// family: vector_add
// exit: 2
// expect: takes 3 parameters, but the family gives 4
// expect: const float *x, const float *y, float *z, size_t n

extern "C" __global__ void wrong_parameters_add_f32(const float *x, const float *y, float *z) {
    z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
}
