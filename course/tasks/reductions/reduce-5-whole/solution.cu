// kz: block 256
// kz: grid min(ceil(n/2048), 1056)

// kz: begin
// The sum over the warp, in lane 0. All 32 lanes must come.
static __device__ float fold_warp(float value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}

// The sum over the block, in thread 0.
static __device__ float fold_block(float value) {
    __shared__ float sums[32];
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    value = fold_warp(value);
    if (threadIdx.x % 32 == 0) sums[warp] = value;
    __syncthreads();
    if (warp == 0)
        value =
            fold_warp((int)threadIdx.x < warps ? sums[threadIdx.x] : 0.0f);
    return value;
}

// kz: end
extern "C" __global__ void sum(const float *x, float *total, int n) {
    // kz: begin
    int thread = blockIdx.x * blockDim.x + threadIdx.x,
        threads = gridDim.x * blockDim.x;
    float value = 0.0f;

    // Numbers before the first address that is a multiple of 16, and the
    // last that fill no quad: one by one.
    int head = (int)((16 - (size_t)x % 16) % 16 / 4);
    if (head > n) head = n;
    int quads = (n - head) / 4, tail = head + 4 * quads;
    if (thread < head) value += x[thread];
    if (thread < n - tail) value += x[tail + thread];

    const float4 *quad = (const float4 *)(x + head);
    float other = 0.0f; // two sums: two loads on the way
    int i = thread;
    for (; i < quads - threads; i += 2 * threads) {
        float4 a = quad[i], b = quad[i + threads];
        value += (a.x + a.y) + (a.z + a.w);
        other += (b.x + b.y) + (b.z + b.w);
    }
    if (i < quads) {
        float4 a = quad[i];
        value += (a.x + a.y) + (a.z + a.w);
    }
    value = fold_block(value + other);
    if (threadIdx.x == 0) atomicAdd(total, value);
    // kz: starter
    //|     // Step 4's kernel wants one thread per number. Here there are
    //|     // fewer: stride over the data.
    //|     int i = blockIdx.x * blockDim.x + threadIdx.x;
    //|     if (i < n) atomicAdd(total, x[i]);
    // kz: end
}
