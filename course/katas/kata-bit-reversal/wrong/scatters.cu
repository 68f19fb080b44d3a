// fails: result
// Writes into elements that another thread has not read yet.
extern "C" __global__ void bit_reverse(float *x, int n, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int j = bits ? __brev(i) >> (32 - bits) : 0;
    x[j] = x[i];
}
