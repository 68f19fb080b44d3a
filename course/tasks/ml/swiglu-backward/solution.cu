extern "C" __global__ void swiglu_backward(const float *gate,
                                           const float *up, const float *dh,
                                           float *dgate, float *dup,
                                           int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    float g = gate[i], slope = dh[i];
    float s = 1.0f / (1.0f + expf(-g));
    dup[i] = slope * (g * s);
    dgate[i] = slope * up[i] * (s * (1.0f + g * (1.0f - s)));
    // kz: starter
    //|     float g = gate[i];
    //|     float s = expf(g) / (1.0f + expf(g)); // what about g = 100?
    //|     dup[i] = dh[i] * g * s;
    //|     dgate[i] = dh[i] * up[i] * s;
    // kz: end
}
