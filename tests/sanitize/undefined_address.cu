// An index comes from shared memory that only half of the block has filled.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: undefined-address "line":12
// expect finding: undefined-address shared variable
// expect finding: undefined-address "second":{"file":
extern "C" __global__ void undefined_address(int *out) {
    __shared__ int order[64];
    if (threadIdx.x < 32) order[threadIdx.x] = 63 - threadIdx.x;
    __syncthreads();
    int to = order[threadIdx.x] & 63;
    out[to] = 1;
}
