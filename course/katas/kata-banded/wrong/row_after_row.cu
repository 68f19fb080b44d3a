// fails: result
// Reads the band as if the elements of a row lay together.
extern "C" __global__ void band_times_vector(const float *a, const float *x, float *y, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = max(-w, -i); d <= min(w, n - 1 - i); d++)
        sum += a[(size_t)i * (2 * w + 1) + d + w] * x[i + d];
    y[i] = sum;
}
