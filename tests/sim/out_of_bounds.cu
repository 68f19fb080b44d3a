// launch: grid 2 block 32
// arg: out s32[63] = 0
// expect fault: store of 4 bytes
// expect fault: block (1,0,0), thread (31,0,0)
// expect fault: out_of_bounds.cu:8
// expect fault: just past the end of a buffer (252 bytes
// expect fault: the 1st allocated
extern "C" __global__ void past_the_end(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
