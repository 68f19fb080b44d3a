// fails: gate instructions
// The right words, and three of four thrown away each time.
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

extern "C" __global__ void dropout(const float *x, float *y, int n, unsigned seed, unsigned threshold, float scale) {
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + 256 * k + threadIdx.x;
        if (i >= n) return;
        uint4 words = philox(seed, i / 4);
        unsigned word = i % 4 == 0 ? words.x : i % 4 == 1 ? words.y : i % 4 == 2 ? words.z : words.w;
        y[i] = word < threshold ? 0.0f : x[i] * scale;
    }
}
