extern "C" __global__ void bit_reverse(float *x, int n, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    int j = bits ? __brev(i) >> (32 - bits) : 0;
    if (i < j) { // the smaller one of a pair swaps it
        float kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
    // kz: starter
    //|     // Find i's partner j, and let one thread of each pair
    //|     // exchange x[i] and x[j].
    // kz: end
}
