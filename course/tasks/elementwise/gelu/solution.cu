// gelu(x) = x * Phi(x), accurate in the tail too.

extern "C" __global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i < n) y[i] = x[i] * normcdff(x[i]);
    // kz: starter
    //|     // The tanh approximation: find a formula that keeps its digits.
    //|     if (i < n) {
    //|         float v = x[i];
    //|         y[i] = 0.5f * v *
    //|                (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    //|     }
    // kz: end
}
