// fails: fault
// Takes every pointer for aligned: the first one that is not stops the kernel.
extern "C" __global__ void square(const float *x, float *y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n / 4) {
        float4 v = ((const float4 *)x)[k];
        ((float4 *)y)[k] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
    }
    int tail = n / 4 * 4 + k;
    if (tail < n) y[tail] = x[tail] * x[tail];
}
