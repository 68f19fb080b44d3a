// y = x * x, 16 bytes per load and store where the addresses allow it.

extern "C" __global__ void square(const float *x, float *y, int n) {
    // the number of this thread in the grid
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if ((size_t)x % 16 == 0 && (size_t)y % 16 == 0) {
        if (k < n / 4) {
            float4 v = ((const float4 *)x)[k];
            ((float4 *)y)[k] =
                make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
        }
        int tail = n / 4 * 4 + k; // at most three threads have one
        if (tail < n) y[tail] = x[tail] * x[tail];
    } else {
        int stride = gridDim.x * blockDim.x;
        for (int i = k; i < n; i += stride) y[i] = x[i] * x[i];
    }
    // kz: starter
    //|     int stride = gridDim.x * blockDim.x;
    //|     // Right, but with four times as many loads and stores as needed.
    //|     for (int i = k; i < n; i += stride) y[i] = x[i] * x[i];
    // kz: end
}
