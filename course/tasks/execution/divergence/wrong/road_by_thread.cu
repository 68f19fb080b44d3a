// fails: result
// Whole warps agree, but by the thread's number: even elements in the second half take the odd road.
static __device__ float even_road(float x) {
    float v = 1.0f;
#pragma unroll 1
    for (int step = 0; step < 24; step++) v = v * x + 1.0f;
    return v;
}
static __device__ float odd_road(float x) {
    float v = 1.0f;
#pragma unroll 1
    for (int step = 0; step < 24; step++) v = v - 0.25f * (v * v - (1.0f + x));
    return v;
}
extern "C" __global__ void two_roads(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (threadIdx.x < 128)
        out[i] = even_road(x[i]);
    else
        out[i] = odd_road(x[i]);
}
