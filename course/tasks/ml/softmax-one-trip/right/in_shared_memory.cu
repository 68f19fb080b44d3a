// The row waits in shared memory instead of registers.
#define THREADS 256

static __device__ float fold(float value, bool is_sum) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, step);
        value = is_sum ? value + other : fmaxf(value, other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < THREADS / 32; w++) value = is_sum ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    __shared__ float4 row[1024];
    const float4 *from = (const float4 *)&x[(size_t)blockIdx.x * columns];
    float4 *to = (float4 *)&y[(size_t)blockIdx.x * columns];
    float greatest = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        float4 v = row[i] = from[i];
        greatest = fmaxf(greatest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    greatest = fold(greatest, false);
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        float4 v = row[i];
        v = make_float4(expf(v.x - greatest), expf(v.y - greatest), expf(v.z - greatest), expf(v.w - greatest));
        sum += (v.x + v.y) + (v.z + v.w);
        row[i] = v;
    }
    sum = fold(sum, true);
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        float4 v = row[i];
        to[i] = make_float4(v.x / sum, v.y / sum, v.z / sum, v.w / sum);
    }
}
