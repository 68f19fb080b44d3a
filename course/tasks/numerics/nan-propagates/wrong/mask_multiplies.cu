// fails: result
// NaN times 0 is NaN, infinity times 0 too.
extern "C" __global__ void guard(const float *x, const int *mask, float *relu, float *clamped, float *masked, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    relu[i] = v < 0.0f ? 0.0f : v;
    clamped[i] = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    masked[i] = v * (float)mask[i];
}
