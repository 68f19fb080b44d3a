// Lanes diverge before the barrier and all come to it.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// seeds: 5
extern "C" __global__ void clean_divergence_before_barrier(int *out) {
    __shared__ int kept[64];
    int t = threadIdx.x, value = t;
    for (int i = 0; i < t % 7; i++) value = value * 3 + out[t];
    if (t % 3 == 0) out[t] = value;
    kept[t] = value;
    __syncthreads();
    out[t] = kept[63 - t];
}
