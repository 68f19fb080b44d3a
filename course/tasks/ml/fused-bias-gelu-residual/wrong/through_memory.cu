// fails: gate store_sectors
// Keeps the intermediate value in y.
extern "C" __global__ void bias_gelu_residual(const float *x, const float *bias, const float *residual, float *y, int rows,
                                              int columns) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * columns) return;
    volatile float *t = y;
    t[i] = x[i] + bias[i % columns];
    t[i] = 0.5f * t[i] * (1.0f + erff(t[i] * 0.70710678f));
    t[i] = t[i] + residual[i];
}
