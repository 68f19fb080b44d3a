// A flag in global memory that nobody set decides a branch.
// launch: grid 1 block 32
// arg: flag s32[1] = scratch
// arg: out s32[32] = 0
// expect finding: undefined-branch "line":9
// expect finding: undefined-branch byte 0 of allocation
extern "C" __global__ void undefined_branch(const int *flag, int *out) {
    out[threadIdx.x] = 1;
    if (*flag > 3) __trap();
    out[threadIdx.x] = 2;
}
