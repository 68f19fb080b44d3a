// Three element-wise operations that differ in what they do with NaN.

extern "C" __global__ void guard(const float *x, const int *mask,
                                 float *relu, float *clamped, float *masked,
                                 int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    // kz: begin
    relu[i] = v < 0.0f ? 0.0f : v; // false for NaN: v itself goes through
    clamped[i] = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    // chosen, not multiplied: NaN * 0 is NaN
    masked[i] = mask[i] ? v : 0.0f;
    // kz: starter
    //|     relu[i] = fmaxf(v, 0.0f);
    //|     clamped[i] = fminf(fmaxf(v, -1.0f), 1.0f);
    //|     masked[i] = v * mask[i];
    // kz: end
}
