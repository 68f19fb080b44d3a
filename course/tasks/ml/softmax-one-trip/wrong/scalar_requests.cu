// fails: gate loads
// One float at a time: a quarter of the bytes for each request.
#define THREADS 256
#define PER_THREAD 4 // of float4: 16 floats, at most 4096 columns

// The sum (or the greatest) of all threads' values, for every thread.
static __device__ float fold(float value, bool is_sum) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, step);
        value = is_sum ? value + other : fmaxf(value, other);
    }
    __syncthreads(); // the last call's values have been read
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < THREADS / 32; w++)
        value = is_sum ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int columns) {
    const float4 *from = (const float4 *)&x[(size_t)blockIdx.x * columns];
    float4 *to = (float4 *)&y[(size_t)blockIdx.x * columns];
    int quads = columns / 4;
    float4 v[PER_THREAD];
    float greatest = -INFINITY, sum = 0.0f;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = threadIdx.x + THREADS * k;
        v[k] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        const volatile float *one = (const volatile float *)&x[(size_t)blockIdx.x * columns];
        if (i < quads) v[k] = make_float4(one[4 * i], one[4 * i + 1], one[4 * i + 2], one[4 * i + 3]);
    }
    for (int k = 0; k < PER_THREAD; k++)
        greatest = fmaxf(fmaxf(fmaxf(greatest, v[k].x), v[k].y),
                         fmaxf(v[k].z, v[k].w));
    greatest = fold(greatest, false);
    for (int k = 0; k < PER_THREAD; k++) {
        v[k].x = expf(v[k].x - greatest);
        v[k].y = expf(v[k].y - greatest);
        v[k].z = expf(v[k].z - greatest);
        v[k].w = expf(v[k].w - greatest);
        sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }
    float scale = 1.0f / fold(sum, true);
    for (int k = 0; k < PER_THREAD; k++) {
        int i = threadIdx.x + THREADS * k;
        v[k].x *= scale, v[k].y *= scale;
        v[k].z *= scale, v[k].w *= scale;
        if (i < quads) to[i] = v[k];
    }
}
