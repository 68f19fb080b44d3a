// kz: begin
// The sum over the warp, in lane 0. All 32 lanes must come.
static __device__ float fold_warp(float value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    return value;
}

// kz: end
extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    // kz: begin
    __shared__ float sums[8];
    float value = fold_warp(i < n ? x[i] : 0.0f);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    // the whole first warp: all its lanes take part in the shuffles
    if (t < 32) {
        value = fold_warp(t < 8 ? sums[t] : 0.0f);
        if (t == 0) atomicAdd(total, value);
    }
    // kz: starter
    //|     // The tree of step 3, to be replaced.
    //|     __shared__ float tree[256];
    //|     tree[t] = i < n ? x[i] : 0.0f;
    //|     for (int half = 128; half > 0; half /= 2) {
    //|         __syncthreads();
    //|         if (t < half) tree[t] += tree[t + half];
    //|     }
    //|     if (t == 0) atomicAdd(total, tree[0]);
    // kz: end
}
