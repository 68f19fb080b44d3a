// fails: result
// v > 0 ? v : 0 is false for NaN: relu turns it into 0.
extern "C" __global__ void guard(const float *x, const int *mask, float *relu, float *clamped, float *masked, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    relu[i] = v > 0.0f ? v : 0.0f;
    clamped[i] = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    masked[i] = mask[i] ? v : 0.0f;
}
