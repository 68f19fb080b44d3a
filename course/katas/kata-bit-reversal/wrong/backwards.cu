// fails: result
// Reverses the array, not the bits.
extern "C" __global__ void bit_reverse(float *x, int n, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = n - 1 - i;
    if (i < j) { // the smaller one of a pair swaps it
        float kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}
