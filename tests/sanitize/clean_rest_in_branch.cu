// The rest of the kernel is in a branch, with a loop of barriers in it: what goes round it is an early return. And lanes
// that end in a later round than one in which all of their warp went round a barrier have diverged from nobody.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// seeds: 3
extern "C" __global__ void clean_rest_in_branch(int *out) {
    __shared__ int kept[64];
    int t = threadIdx.x;
    if (t < 40) {
        kept[t] = t;
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
            if (i == 3 && t >= 32) return;
            if (i % 2) __syncthreads();
            kept[t] += i;
        }
        out[t] = kept[t];
    }
}
