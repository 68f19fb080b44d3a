// fails: gate stores
// Loads a float4 and stores four floats, each of which touches every fourth element: four instructions for
// one.
extern "C" __global__ void square(const float *x, float *y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *out = y;
    if ((size_t)x % 16 == 0) {
        if (k < n / 4) {
            float4 v = ((const float4 *)x)[k];
            out[4 * k] = v.x * v.x, out[4 * k + 1] = v.y * v.y, out[4 * k + 2] = v.z * v.z,
                    out[4 * k + 3] = v.w * v.w;
        }
        int tail = n / 4 * 4 + k;
        if (tail < n) y[tail] = x[tail] * x[tail];
    } else {
        for (int i = k; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
    }
}
