extern "C" __global__ void transpose_tiles(const float *x, float *y,
                                           int tiles) {
    int lane = threadIdx.x % 32,
        tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (tile >= tiles) return; // the whole warp
    float value[32];
#pragma unroll
    for (int r = 0; r < 32; r++)
        value[r] = x[(size_t)tile * 1024 + r * 32 + lane];
        // kz: begin
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
#pragma unroll
        for (int r = 0; r < 32; r++) {
            if (r & step) continue; // r + step is its partner
            float give = lane & step ? value[r] : value[r + step];
            float taken = __shfl_xor_sync(0xffffffffu, give, step);
            if (lane & step)
                value[r] = taken;
            else
                value[r + step] = taken;
        }
#pragma unroll
    for (int r = 0; r < 32; r++)
        y[(size_t)tile * 1024 + r * 32 + lane] = value[r];
    // kz: starter
    //|     // Five rounds of exchanges between lane and lane ^ step.
    //|     #pragma unroll
    //|     for (int r = 0; r < 32; r++)
    //|         y[(size_t)tile * 1024 + r * 32 + lane] = value[r];
    // kz: end
}
