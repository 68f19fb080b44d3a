// One barrier of the grid a round: it orders the reads after the writes, but not the next round's writes after the reads.
// launch: grid 2 block 32 cooperative
// arg: a s32[64] = 0
// arg: b s32[64] = 0
// arg: arrived u32[1] = 0
// expect finding: race two blocks
extern "C" __global__ void race_grid_rounds(int *a, int *b, unsigned *arrived) {
    int i = blockIdx.x * 32 + threadIdx.x, n = gridDim.x * 32;
    for (int round = 0; round < 3; round++) {
        a[i] = i + round;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (*(volatile unsigned *)arrived < (round + 1) * gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
        b[i] = a[n - 1 - i];
    }
}
