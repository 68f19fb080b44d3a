// A loop over a[k]++ that is unrolled: the load of one round and the store of another are an update all the same.
// launch: grid 1 block 64
// arg: keys s32[128] = 0
// arg: out s32[1] = 0
// expect finding: race atomicAdd(&element, value)
// seeds: 2
extern "C" __global__ void race_update_unrolled(const int *keys, int *out) {
    __shared__ int counts[4];
    int t = threadIdx.x;
    if (t < 4) counts[t] = 0;
    __syncthreads();
    int first = keys[t], second = keys[t + 64];
    for (int i = 0; i < 2; i++)
        if (t == 32 * i) counts[i ? second : first]++; // one thread each: no round meets itself
    __syncthreads();
    if (t == 0) out[0] = counts[0];
}
