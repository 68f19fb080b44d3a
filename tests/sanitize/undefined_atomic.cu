// A counter that was not cleared.
// launch: grid 1 block 32
// arg: counter u32[1] = undefined
// expect finding: undefined-output 4 of them are undefined
extern "C" __global__ void undefined_atomic(unsigned *counter) { atomicAdd(counter, threadIdx.x); }
