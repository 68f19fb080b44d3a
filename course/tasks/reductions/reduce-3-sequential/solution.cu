extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tree[t] = i < n ? x[i] : 0.0f;
    // kz: begin
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) tree[t] += tree[t + half];
    }
    // kz: starter
    //|     for (int step = 1; step < 256; step *= 2) {
    //|         __syncthreads();
    //|         if (t % (2 * step) == 0) tree[t] += tree[t + step];
    //|     }
    // kz: end
    if (t == 0) atomicAdd(total, tree[0]);
}
