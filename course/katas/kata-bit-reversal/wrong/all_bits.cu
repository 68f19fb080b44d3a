// fails: result
// Reverses 32 bits and cuts the wrong end off.
extern "C" __global__ void bit_reverse(float *x, int n, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = __brev(i) & (n - 1);
    if (i < j) { // the smaller one of a pair swaps it
        float kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}
