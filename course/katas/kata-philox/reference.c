// Word for word, with the key of each round computed from the first.
void inputs(uint64_t seed, double *keys, double *counters, int64_t n) {
    (void)seed;
    if (n < 2) return;
    for (int i = 0; i < 2; i++) keys[i] = 0, keys[2 + i] = 0xffffffffp0;
    for (int i = 0; i < 4; i++) counters[i] = 0, counters[4 + i] = 0xffffffffp0;
}

void reference(const double *keys, const double *counters, double *words, double *words_bound, int64_t n) {
    (void)words_bound;
    for (int64_t i = 0; i < n; i++) {
        uint32_t c[4];
        for (int k = 0; k < 4; k++) c[k] = (uint32_t)counters[4 * i + k];
        for (uint32_t round = 0; round < 10; round++) {
            uint32_t k0 = (uint32_t)keys[2 * i] + round * 0x9E3779B9u, k1 = (uint32_t)keys[2 * i + 1] + round * 0xBB67AE85u;
            uint64_t a = (uint64_t)c[0] * 0xD2511F53u, b = (uint64_t)c[2] * 0xCD9E8D57u;
            uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
            memcpy(c, next, sizeof c);
        }
        for (int k = 0; k < 4; k++) words[4 * i + k] = c[k];
    }
}
