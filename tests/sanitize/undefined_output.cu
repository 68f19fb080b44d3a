// The last quarter of the output is not written: too few threads.
// launch: grid 3 block 64
// arg: out s32[256] = undefined
// expect finding: undefined-output 256 of them are undefined, the first at byte 768 of allocation
extern "C" __global__ void undefined_output(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
