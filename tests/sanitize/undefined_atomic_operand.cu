// An atomic adds a value that was never written: the memory is defined, and the operand is to blame, where it was read.
// launch: grid 1 block 32
// arg: sum s32[1] = 0
// expect finding: undefined-output it was stored there from 4 bytes at byte 64 of shared variable s
// seeds: 2
extern "C" __global__ void undefined_atomic_operand(int *sum) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = 1;
    __syncthreads();
    int v = s[t];
    v += __shfl_down_sync(0xffffffffu, v, 16);
    if (t == 0) atomicAdd(sum, v);
}
