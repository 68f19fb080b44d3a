// Several accesses to shared memory through one base register, without a branch between them.
// launch: grid 1 block 32
// arg: out s32[32] = 0
// expect: out = 3 7 11 15 19 23 27 31
extern "C" __global__ void shared_bases(int *out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = t;
    tile[t + 32] = 2 * t;
    tile[t + 64] = 3;
    tile[t + 96] = t;
    __syncthreads();
    out[t] = tile[t] + tile[t + 32] + tile[t + 64] + tile[t + 96];
}
