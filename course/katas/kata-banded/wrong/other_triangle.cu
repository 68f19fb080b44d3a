// fails: result
// Takes the diagonals for those on the other side: column i - d.
extern "C" __global__ void band_times_vector(const float *a, const float *x, float *y, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int d = max(-w, -i); d <= min(w, n - 1 - i); d++) sum += a[(size_t)(w - d) * n + i] * x[i + d];
    y[i] = sum;
}
