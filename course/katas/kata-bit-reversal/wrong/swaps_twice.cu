// fails: result
// Both threads of a pair swap: the second one puts things back.
extern "C" __global__ void bit_reverse(float *x, int n, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = bits ? __brev(i) >> (32 - bits) : 0;
    if (i != j) {
        float kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}
