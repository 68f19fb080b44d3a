// fails: gate store_sectors
// Right without any exchange, but each lane stores along its own row.
extern "C" __global__ void transpose_tiles(const float *x, float *y, int tiles) {
    int lane = threadIdx.x % 32, tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (tile >= tiles) return; // the whole warp
    float value[32];
#pragma unroll
    for (int r = 0; r < 32; r++) value[r] = x[(size_t)tile * 1024 + r * 32 + lane];
#pragma unroll
    for (int r = 0; r < 32; r++) y[(size_t)tile * 1024 + lane * 32 + r] = value[r];
}
