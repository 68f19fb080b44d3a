// Block 0 waits for the last block: resident blocks must make progress together.
// launch: grid 100 block 32
// arg: flag u32[1] = 0
// arg: out u32[1] = 0
// expect: out = 7
extern "C" __global__ void wait_for_later(volatile unsigned *flag, unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        while (*flag == 0) {}
        *out = 7;
    }
    if (blockIdx.x == gridDim.x - 1) *flag = 1;
}
