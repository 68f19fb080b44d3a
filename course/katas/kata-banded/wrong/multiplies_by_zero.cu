// fails: result
// Leaves nothing out, but reads zeros for x beyond the ends: 0 times NaN is NaN.
extern "C" __global__ void band_times_vector(const float *a, const float *x, float *y, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = -w; d <= w; d++) {
        float other = i + d >= 0 && i + d < n ? x[i + d] : 0.0f;
        sum += a[(size_t)(d + w) * n + i] * other;
    }
    y[i] = sum;
}
