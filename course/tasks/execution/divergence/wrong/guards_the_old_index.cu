// fails: fault
// The guard still looks at the old index: the new one runs past the end in the last block.
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
    int t = blockIdx.x * blockDim.x + threadIdx.x, odd = threadIdx.x / 128;
    int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x % 128) + odd;
    if (t >= n) return;
    if (i % 2 == 0)
        out[i] = even_road(x[i]);
    else
        out[i] = odd_road(x[i]);
}
