// A right guest with nothing but its launch lines: every case that applies must pass.
// kz: block 128
// kz: grid min(ceil(n/block), 4*sms)
// family: vector_add
// exit: 0
// expect: checks passed

extern "C" __global__ void right_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) z[i] = x[i] + y[i];
}
