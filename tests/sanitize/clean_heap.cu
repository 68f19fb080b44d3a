// Memory from malloc goes from thread to thread, and each has it for itself.
// launch: grid 2 block 64
// arg: out s32[128] = 0
// seeds: 2
extern "C" __global__ void clean_heap(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int round = 0; round < 4; round++) {
        int *mine = (int *)malloc(64);
        for (int k = 0; k < 16; k++) mine[k] = i + k;
        for (int k = 0; k < 16; k++) sum += mine[k];
        free(mine);
    }
    out[i] = sum;
}
