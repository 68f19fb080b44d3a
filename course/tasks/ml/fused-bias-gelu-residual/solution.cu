extern "C" __global__ void
bias_gelu_residual(const float *x, const float *bias, const float *residual,
                   float *y, int rows, int columns) {
    // kz: begin
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * columns) return;
    float t = x[i] + bias[i % columns];
    t = 0.5f * t * (1.0f + erff(t * 0.70710678f));
    y[i] = t + residual[i];
    // kz: starter
    //|     // One element: load, three steps in registers, store.
    // kz: end
}
