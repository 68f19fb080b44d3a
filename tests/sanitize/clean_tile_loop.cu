// The twin of race_tile_loop: both barriers.
// launch: grid 2 block 64
// arg: in s32[512] = 1 2 3
// arg: out s32[128] = 0
// seeds: 2
extern "C" __global__ void clean_tile_loop(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[t] = in[round * 128 + blockIdx.x * 64 + t];
        __syncthreads();
        sum += tile[63 - t];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
