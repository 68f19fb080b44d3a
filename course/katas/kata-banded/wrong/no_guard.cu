// fails: fault
// Reads x before its beginning.
extern "C" __global__ void band_times_vector(const float *a, const float *x, float *y, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = -w; d <= w; d++) sum += a[(size_t)(d + w) * n + i] * x[i + d];
    y[i] = sum;
}
