// fails: gate shared_bytes
extern "C" __global__ void transpose_tiles(const float *x, float *y, int tiles) {
    int lane = threadIdx.x % 32, tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (tile >= tiles) return; // the whole warp
    float value[32];
#pragma unroll
    for (int r = 0; r < 32; r++) value[r] = x[(size_t)tile * 1024 + r * 32 + lane];
    __shared__ float tile_of[4][32][33];
    int warp = threadIdx.x / 32;
#pragma unroll
    for (int r = 0; r < 32; r++) tile_of[warp][r][lane] = value[r];
    __syncwarp();
#pragma unroll
    for (int r = 0; r < 32; r++) y[(size_t)tile * 1024 + r * 32 + lane] = tile_of[warp][lane][r];
}
