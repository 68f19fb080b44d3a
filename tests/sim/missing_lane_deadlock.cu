// A shuffle that names lanes which wait elsewhere.
// launch: block 32
// arg: out s32[32] = 0
// expect fault: deadlock
// expect fault: member mask 0xffffffff
extern "C" __global__ void missing(int *out) {
    if (threadIdx.x < 4) out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
    __syncthreads();
}
