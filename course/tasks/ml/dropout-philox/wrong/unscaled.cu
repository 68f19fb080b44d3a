// fails: result
// Drops, and does not make up for it.
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

extern "C" __global__ void dropout(const float *x, float *y, int n,
                                   unsigned seed, unsigned threshold,
                                   float scale) {
    int quad = blockIdx.x * blockDim.x + threadIdx.x, first = 4 * quad;
    if (first >= n) return;
    uint4 words = philox(seed, quad);
    float4 factor = make_float4(words.x < threshold ? 0.0f : 1.0f,
                                words.y < threshold ? 0.0f : 1.0f,
                                words.z < threshold ? 0.0f : 1.0f,
                                words.w < threshold ? 0.0f : 1.0f);
    if (first + 4 <= n) {
        float4 v = ((const float4 *)x)[quad];
        ((float4 *)y)[quad] = make_float4(v.x * factor.x, v.y * factor.y,
                                          v.z * factor.z, v.w * factor.w);
    } else {
        y[first] = x[first] * factor.x;
        if (first + 1 < n) y[first + 1] = x[first + 1] * factor.y;
        if (first + 2 < n) y[first + 2] = x[first + 2] * factor.z;
    }
}
