// The tile is filled anew while others still read it: the second barrier of the loop is missing.
// launch: grid 2 block 64
// arg: in s32[512] = 1 2 3
// arg: out s32[128] = 0
// expect finding: race a missing __syncthreads()
// seeds: 2
extern "C" __global__ void race_tile_loop(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[t] = in[round * 128 + blockIdx.x * 64 + t];
        __syncthreads();
        sum += tile[63 - t];
    }
    out[blockIdx.x * 64 + t] = sum;
}
