// Threads that have returned are not waited for: not at a barrier, not in a shuffle.
// launch: block 96
// arg: out s32[96] = 0
// expect: out = 40 40 40
extern "C" __global__ void partial_exit(int *out) {
    if (threadIdx.x >= 40) return;
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
