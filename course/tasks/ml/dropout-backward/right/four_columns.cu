// kz: grid ceil(columns/128)
// A lane has four neighbouring columns: one call of Philox for four elements.

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

static __device__ void add(float4 *a, float4 b) { a->x += b.x, a->y += b.y, a->z += b.z, a->w += b.w; }

extern "C" __global__ void dropout_backward(const float *dy, float *dx, float *dbias, int rows, int columns, unsigned seed,
                                            unsigned threshold, float scale) {
    __shared__ float4 sums[8][32];
    int quads = columns / 4, quad = blockIdx.x * 32 + threadIdx.x;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (quad < quads)
        for (int row = threadIdx.y; row < rows; row += 8) {
            size_t at = (size_t)row * quads + quad;
            uint4 words = philox(seed, (unsigned)at);
            float4 v = ((const float4 *)dy)[at];
            v = make_float4(words.x < threshold ? 0.0f : v.x * scale, words.y < threshold ? 0.0f : v.y * scale,
                            words.z < threshold ? 0.0f : v.z * scale, words.w < threshold ? 0.0f : v.w * scale);
            ((float4 *)dx)[at] = v;
            add(&sum, v);
        }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || quad >= quads) return;
    for (int w = 1; w < 8; w++) add(&sum, sums[w][threadIdx.x]);
    ((float4 *)dbias)[quad] = sum;
}
