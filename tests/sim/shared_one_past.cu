// A whole warp, the last lane just one word past the end of shared memory.
// launch: block 32 shared 124
// arg: out s32[32] = 0
// expect fault: in shared memory is out of bounds
// expect fault: thread (31,0,0)
extern __shared__ int box[];
extern "C" __global__ void one_past(int *out) { out[threadIdx.x] = box[threadIdx.x]; }
