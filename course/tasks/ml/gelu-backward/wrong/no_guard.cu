// fails: fault
// The last block has threads without elements.
static __device__ float slope(float x) {
    float below = 0.5f * (1.0f + erff(x * 0.70710678f));
    return below + x * (0.39894228f * expf(-0.5f * x * x));
}

extern "C" __global__ void gelu_backward(const float *x, const float *dy,
                                         float *dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 at = ((const float4 *)x)[i], up = ((const float4 *)dy)[i];
    ((float4 *)dx)[i] = make_float4(up.x * slope(at.x), up.y * slope(at.y),
                                    up.z * slope(at.z), up.w * slope(at.w));
}
