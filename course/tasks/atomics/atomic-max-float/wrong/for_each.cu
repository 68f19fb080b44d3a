// fails: gate atomics
// A compare-and-swap loop for each element.
extern "C" __global__ void block_max(const float *x, float *greatest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : -INFINITY;
    if (i >= n) return;
    for (int turn = 0; turn < 32; turn++) {
        if (threadIdx.x % 32 != turn) continue;
    int *word = (int *)greatest;
    int old = atomicAdd(word, 0); // the word now
    while (value > __int_as_float(old)) {
        int seen = atomicCAS(word, old, __float_as_int(value));
        if (seen == old) break;
        old = seen;
    }
    }
}
