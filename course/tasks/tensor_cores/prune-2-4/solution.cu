extern "C" __global__ void prune(const float *x, float *values,
                                 unsigned *metadata, int n) {
    int group = blockIdx.x * blockDim.x + threadIdx.x;
    bool inside = group < 8 * n; // the same in all 8 lanes of a word
    // kz: begin
    float4 v =
        inside ? ((const float4 *)x)[group] : make_float4(0, 0, 0, 0);
    float e[4] = {v.x, v.y, v.z, v.w}, kept[2];
    unsigned bits = 0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int better = 0; // elements that come before e[i]
        for (int j = 0; j < 4; j++)
            better += fabsf(e[j]) > fabsf(e[i]) ||
                      (fabsf(e[j]) == fabsf(e[i]) && j < i);
        if (better >= 2) continue;
        if (count == 0)
            kept[0] = e[i];
        else
            kept[1] = e[i];
        bits |= i << 2 * count++;
    }
    bits <<= threadIdx.x % 8 * 4;
    for (int step = 1; step < 8; step *= 2)
        bits |= __shfl_xor_sync(0xffffffffu, bits, step);
    if (!inside) return;
    ((float2 *)values)[group] = make_float2(kept[0], kept[1]);
    if (threadIdx.x % 8 == 0) metadata[group / 8] = bits;
    // kz: starter
    //|     // Keeps the first two, whatever they are.
    //|     if (!inside) return;
    //|     float4 v = ((const float4 *)x)[group];
    //|     ((float2 *)values)[group] = make_float2(v.x, v.y);
    //|     if (threadIdx.x % 8 == 0) metadata[group / 8] = 0x44444444;
    // kz: end
}
