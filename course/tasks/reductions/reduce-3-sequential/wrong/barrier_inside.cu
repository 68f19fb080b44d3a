// fails: race
// The barrier under the condition: those who have finished do not come, and those who come are not ordered after the rest.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tree[t] = i < n ? x[i] : 0.0f;
    for (int half = 128; half > 0; half /= 2)
        if (t < half) {
            tree[t] += tree[t + half];
            __syncthreads();
        }
    if (t == 0) atomicAdd(total, tree[0]);
}
