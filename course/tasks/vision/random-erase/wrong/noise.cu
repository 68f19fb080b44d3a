// fails: result
// The starter: a counter for each pixel.
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

extern "C" __global__ void augment(const float *images, float *out, int count, int height, int width, unsigned seed) {
    size_t first = (size_t)blockIdx.y * height * width;
    int end = min(blockIdx.x * 64 + 64, height);
    for (int y = blockIdx.x * 64 + threadIdx.y; y < end; y += 8)
        for (int x = threadIdx.x; x < width; x += 32) {
            size_t i = first + (size_t)y * width + x;
            out[i] = philox(seed, (unsigned)i).x % 4 ? images[i] : 0.0f;
        }
}
