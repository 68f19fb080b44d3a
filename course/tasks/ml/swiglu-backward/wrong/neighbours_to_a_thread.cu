// fails: gate load_sectors
// Eight neighbours for each thread, one float at a time: each request touches 32 sectors.
extern "C" __global__ void swiglu_backward(const float *gate, const float *up, const float *dh, float *dgate, float *dup,
                                           int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int i = first; i < first + 8 && i < n; i++) {
        float g = gate[i], slope = dh[i], s = 1.0f / (1.0f + expf(-g));
        dup[i] = slope * (g * s);
        dgate[i] = slope * up[i] * (s * (1.0f + g * (1.0f - s)));
    }
}
