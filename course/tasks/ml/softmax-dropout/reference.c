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

// Shares as in softmax-warp, then a product with 0 or the scale.
void reference(const double *scores, double *y, double *y_bound, int64_t rows, int64_t columns, int64_t seed, int64_t threshold,
               double scale) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &scores[row * columns];
        double greatest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < columns; i++) greatest = fmax(greatest, from[i]);
        for (int64_t i = 0; i < columns; i++) sum += exp(from[i] - greatest);
        for (int64_t i = 0; i < columns; i++) {
            int64_t at = row * columns + i;
            bool drops = philox((uint32_t)seed, (uint32_t)(at / 4), (int)(at % 4)) < (uint32_t)threshold;
            y[at] = drops ? 0 : exp(from[i] - greatest) / sum * scale;
            y_bound[at] =
                drops ? 0 : y[at] * U_F32 * (10 + 4 * (greatest - from[i]) + 2 * sqrt((double)columns)) + 0x1p-125;
        }
    }
}
