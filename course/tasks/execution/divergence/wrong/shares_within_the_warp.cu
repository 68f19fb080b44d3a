// fails: gate lanes_per_instruction
// Shares the work out within each warp: 16 lanes take one road and 16 the other, as before.
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
    int lane = threadIdx.x % 32, odd = lane / 16;
    int i = blockIdx.x * blockDim.x + threadIdx.x - lane + 2 * (lane % 16) + odd;
    if (i >= n) return;
    if (i % 2 == 0)
        out[i] = even_road(x[i]);
    else
        out[i] = odd_road(x[i]);
}
