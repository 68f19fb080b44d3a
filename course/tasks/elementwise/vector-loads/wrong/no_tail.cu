// fails: result
// The last n % 4 elements are never written.
extern "C" __global__ void square(const float *x, float *y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if ((size_t)x % 16 == 0 && (size_t)y % 16 == 0) {
        if (k < n / 4) {
            float4 v = ((const float4 *)x)[k];
            ((float4 *)y)[k] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
        }
    } else {
        for (int i = k; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
    }
}
