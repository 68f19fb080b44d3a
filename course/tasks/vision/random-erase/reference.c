// Word `which` of Philox4x32-10 for a key and a counter of 32 bits each.
static uint32_t philox(uint32_t key, uint32_t counter, int which) {
    uint32_t c[4] = {counter, 0, 0, 0}, k[2] = {key, 0};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
    }
    return c[which];
}

void reference(const double *images, double *out, double *out_bound, int64_t count, int64_t height, int64_t width, int64_t seed) {
    (void)out_bound;
    for (int64_t b = 0; b < count; b++) {
        bool flip = philox((uint32_t)seed, (uint32_t)b, 0) % 2;
        int64_t top = philox((uint32_t)seed, (uint32_t)b, 1) % (height - height / 2 + 1);
        int64_t left = philox((uint32_t)seed, (uint32_t)b, 2) % (width - width / 2 + 1);
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                bool erased = y >= top && y < top + height / 2 && x >= left && x < left + width / 2;
                int64_t at = (b * height + y) * width;
                out[at + x] = erased ? 0 : images[at + (flip ? width - 1 - x : x)];
            }
    }
}
