// Tiles of a product without the loop's second barrier: lanes of one warp race as well, but what is told is the
// race of warps, for __syncwarp() would not be enough.
// launch: grid 1 block 8x8
// arg: in s32[64] = 1 2 3
// arg: out s32[64] = 0
// expect finding: race two warps of one block
// expect finding: race a missing __syncthreads()
// seeds: 2
extern "C" __global__ void race_tile_product(const int *in, int *out) {
    __shared__ int tile[8][8];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[y][x] = in[(y * 8 + x + round) % 64];
        __syncthreads();
        for (int k = 0; k < 8; k++) sum += tile[k][x];
    }
    out[y * 8 + x] = sum;
}
