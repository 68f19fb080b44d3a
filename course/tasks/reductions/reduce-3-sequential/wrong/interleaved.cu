// fails: gate divergent_branches
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tree[t] = i < n ? x[i] : 0.0f;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (t % (2 * step) == 0) tree[t] += tree[t + step];
    }
    if (t == 0) atomicAdd(total, tree[0]);
}
