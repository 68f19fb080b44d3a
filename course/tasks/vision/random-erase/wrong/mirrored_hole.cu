// fails: result
// Erases before mirroring: the rectangle moves to the other side.
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

extern "C" __global__ void augment(const float *images, float *out,
                                   int count, int height, int width,
                                   unsigned seed) {
    int b = blockIdx.y, end = min(blockIdx.x * 64 + 64, height);
    size_t first = (size_t)b * height * width;
    uint4 words = philox(seed, b);
    bool flip = words.x % 2;
    int top = words.y % (height - height / 2 + 1);
    int left = words.z % (width - width / 2 + 1);
    for (int y = blockIdx.x * 64 + threadIdx.y; y < end; y += 8) {
        const float *from = &images[first + (size_t)y * width];
        float *to = &out[first + (size_t)y * width];
        bool hit = y >= top && y < top + height / 2;
        for (int x = threadIdx.x; x < width; x += 32) {
            int from_x = flip ? width - 1 - x : x;
            bool erased = hit && from_x >= left && from_x < left + width / 2;
            float value = 0.0f;
            if (!erased) value = from[flip ? width - 1 - x : x];
            to[x] = value;
        }
    }
}
