static __device__ float slope(float x) {
    // kz: begin
    float below = 0.5f * (1.0f + erff(x * 0.70710678f));
    return below + x * (0.39894228f * expf(-0.5f * x * x));
    // kz: starter
    //|     return 0.5f * (1.0f + erff(x * 0.70710678f)); // half of the product rule
    // kz: end
}

extern "C" __global__ void gelu_backward(const float *x, const float *dy,
                                         float *dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i >= n / 4) return;
    float4 at = ((const float4 *)x)[i], up = ((const float4 *)dy)[i];
    ((float4 *)dx)[i] = make_float4(up.x * slope(at.x), up.y * slope(at.y),
                                    up.z * slope(at.z), up.w * slope(at.w));
    // kz: starter
    //|     for (int k = 4 * i; k < 4 * i + 4; k++)
    //|         if (k < n) dx[k] = dy[k] * slope(x[k]);
    // kz: end
}
