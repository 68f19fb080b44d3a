// fails: gate instructions
// Right, and each pixel pays for its random words.
// kz: grid ceil(height*width/256) count
// kz: block 256

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
    int pixel = blockIdx.x * 256 + threadIdx.x, b = blockIdx.y;
    if (pixel >= height * width) return;
    size_t first = (size_t)b * height * width;
    uint4 words = philox(seed, b);
    int y = pixel / width, x = pixel % width;
    int top = words.y % (height - height / 2 + 1), left = words.z % (width - width / 2 + 1);
    bool erased = y >= top && y < top + height / 2 && x >= left && x < left + width / 2;
    float value = 0.0f;
    if (!erased) value = images[first + (size_t)y * width + (words.x % 2 ? width - 1 - x : x)];
    out[first + pixel] = value;
}
