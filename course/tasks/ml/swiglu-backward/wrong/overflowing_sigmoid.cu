// fails: result
// Infinity over infinity from g = 89 on.
extern "C" __global__ void swiglu_backward(const float *gate,
                                           const float *up, const float *dh,
                                           float *dgate, float *dup,
                                           int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = gate[i], slope = dh[i];
    float s = expf(g) / (1.0f + expf(g));
    dup[i] = slope * (g * s);
    dgate[i] = slope * up[i] * (s * (1.0f + g * (1.0f - s)));
}
