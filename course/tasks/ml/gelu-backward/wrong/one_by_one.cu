// fails: gate loads
// Neighbouring lanes, one float each: four requests for one.
static __device__ float slope(float x) {
    return 0.5f * (1.0f + erff(x * 0.70710678f)) + x * (0.39894228f * expf(-0.5f * x * x));
}

extern "C" __global__ void gelu_backward(const float *x, const float *dy, float *dx, int n) {
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + 256 * k + threadIdx.x;
        if (i < n) dx[i] = dy[i] * slope(x[i]);
    }
}
