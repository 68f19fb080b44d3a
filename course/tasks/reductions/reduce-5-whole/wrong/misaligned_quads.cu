// fails: fault
// Handles the tail, but takes it for granted that x is a multiple of 16.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float sums[8];
    int t = threadIdx.x, thread = blockIdx.x * 256 + t;
    float value = 0.0f;
    for (int i = thread; i < n / 4; i += gridDim.x * 256) {
        float4 q = ((const float4 *)x)[i];
        value += (q.x + q.y) + (q.z + q.w);
    }
    if (thread < n % 4) value += x[n / 4 * 4 + thread];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++) value += sums[w];
        atomicAdd(total, value);
    }
}
