// A value that one lane never had goes through a shuffle into the output of all.
// launch: grid 1 block 32
// arg: in s32[32] = scratch
// arg: out s32[32] = 0
// expect finding: undefined-output 128 of them are undefined
extern "C" __global__ void undefined_shuffle(const int *in, int *out) {
    int mine = threadIdx.x == 7 ? in[7] : 1;
    out[threadIdx.x] = __shfl_sync(0xffffffffu, mine, 7);
}
