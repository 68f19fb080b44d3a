// fails: undefined
// Threads past the end leave, and their elements of the tree are uninitialised.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    if (i >= n) return;
    tree[t] = x[i];
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (t % (2 * step) == 0) tree[t] += tree[t + step];
    }
    if (t == 0) atomicAdd(total, tree[0]);
}
