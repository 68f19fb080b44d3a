extern "C" __global__ void band_times_vector(const float *a, const float *x,
                                             float *y, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    float sum = 0.0f;
    for (int d = max(-w, -i); d <= min(w, n - 1 - i); d++)
        sum += a[(size_t)(d + w) * n + i] * x[i + d];
    y[i] = sum;
    // kz: starter
    //|     y[i] = a[(size_t)w * n + i] * x[i]; // the main diagonal: add the others
    // kz: end
}
