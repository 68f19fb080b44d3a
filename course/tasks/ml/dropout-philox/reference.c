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

void reference(const double *x, double *y, double *y_bound, int64_t n, int64_t seed, int64_t threshold, double scale) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = philox((uint32_t)seed, (uint32_t)(i / 4), (int)(i % 4)) < (uint32_t)threshold ? 0 : x[i] * scale;
        y_bound[i] = 2 * U_F32 * fabs(y[i]);
    }
}
