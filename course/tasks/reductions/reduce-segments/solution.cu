extern "C" __global__ void segment_sums(const float *x, const int *offsets,
                                        float *sums, int segments,
                                        int count) {
    int segment = blockIdx.x * 8 + threadIdx.x / 32,
        lane = threadIdx.x % 32;
    // kz: begin
    if (segment >= segments) return; // whole warps only
    // all lanes read the same word: one sector
    int end = offsets[segment + 1];
    float sum = 0.0f;
    for (int i = offsets[segment] + lane; i < end; i += 32) sum += x[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[segment] = sum;
    // kz: starter
    //|     // One lane does the whole segment. Let all 32 take part.
    //|     if (segment >= segments || lane > 0) return;
    //|     float sum = 0.0f;
    // kz: end
}
