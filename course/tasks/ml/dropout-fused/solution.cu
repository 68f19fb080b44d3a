// Philox4x32-10: four random words from a key and a counter.
static __device__ uint4 philox(unsigned key, unsigned counter) {
    uint4 c = make_uint4(counter, 0, 0, 0);
    uint2 k = make_uint2(key, 0);
    for (int round = 0; round < 10; round++) {
        uint2 a = make_uint2(0xD2511F53u * c.x, __umulhi(0xD2511F53u, c.x));
        uint2 b = make_uint2(0xCD9E8D57u * c.z, __umulhi(0xCD9E8D57u, c.z));
        c = make_uint4(b.y ^ c.y ^ k.x, b.x, a.y ^ c.w ^ k.y, a.x);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

extern "C" __global__ void bias_dropout_residual(
    const float *x, const float *bias, const float *residual, float *y,
    int rows, int columns, unsigned seed, unsigned threshold, float scale) {
    int quad = blockIdx.x * blockDim.x + threadIdx.x; // within the row
    if (quad >= columns / 4) return;
    unsigned at = blockIdx.y * (unsigned)(columns / 4) + quad;
    // kz: begin
    uint4 words = philox(seed, at);
    float4 v = ((const float4 *)x)[at], b = ((const float4 *)bias)[quad],
           r = ((const float4 *)residual)[at];
    r.x += words.x < threshold ? 0.0f : (v.x + b.x) * scale;
    r.y += words.y < threshold ? 0.0f : (v.y + b.y) * scale;
    r.z += words.z < threshold ? 0.0f : (v.z + b.z) * scale;
    r.w += words.w < threshold ? 0.0f : (v.w + b.w) * scale;
    ((float4 *)y)[at] = r;
    // kz: starter
    //|     // The sum is done, but all elements are dropped or kept together.
    //|     float kept = philox(seed, 0).x < threshold ? 0.0f : scale;
    //|     float4 v = ((const float4 *)x)[at], b = ((const float4 *)bias)[quad],
    //|            r = ((const float4 *)residual)[at];
    //|     ((float4 *)y)[at] = make_float4(
    //|         (v.x + b.x) * kept + r.x, (v.y + b.y) * kept + r.y,
    //|         (v.z + b.z) * kept + r.z, (v.w + b.w) * kept + r.w);
    // kz: end
}
