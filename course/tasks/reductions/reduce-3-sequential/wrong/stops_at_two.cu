// fails: result
// half > 1: the last pair is never folded.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tree[t] = i < n ? x[i] : 0.0f;
    for (int half = 128; half > 1; half /= 2) {
        __syncthreads();
        if (t < half) tree[t] += tree[t + half];
    }
    if (t == 0) atomicAdd(total, tree[0]);
}
