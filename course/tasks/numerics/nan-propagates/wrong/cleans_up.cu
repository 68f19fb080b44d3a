// fails: result
// Replaces NaN in the input: now it can never be noticed.
extern "C" __global__ void guard(const float *x, const int *mask, float *relu, float *clamped, float *masked, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = isnan(x[i]) ? 0.0f : x[i];
    relu[i] = v < 0.0f ? 0.0f : v;
    clamped[i] = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    masked[i] = mask[i] ? v : 0.0f;
}
