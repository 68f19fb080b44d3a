// Wrong on purpose: tanh by its formula. expf overflows for large arguments, and inf / inf is NaN.
// kz: block 256
// kz: grid ceil(n/256)
extern "C" __global__ void overflows_gelu_tanh_f32(const float *x, float *y, size_t n, float) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float u = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    float e = expf(2.0f * u);
    y[i] = 0.5f * x[i] * (1.0f + (e - 1.0f) / (e + 1.0f));
}
