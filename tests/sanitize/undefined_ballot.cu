// A vote in which one lane has no opinion.
// launch: grid 1 block 32
// arg: in s32[32] = scratch
// arg: out s32[1] = 0
// expect finding: undefined-branch
extern "C" __global__ void undefined_ballot(const int *in, int *out) {
    bool yes = threadIdx.x == 3 ? in[3] > 0 : true;
    if (__all_sync(0xffffffffu, yes)) *out = 1;
}
