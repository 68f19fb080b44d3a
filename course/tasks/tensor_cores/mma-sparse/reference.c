// Any word becomes metadata of the six patterns that are allowed.
void inputs(uint64_t seed, double *values, double *metadata, double *b, int64_t n) {
    static const unsigned patterns[] = {4, 8, 12, 9, 13, 14};
    (void)seed, (void)values, (void)b;
    for (int64_t i = 0; i < 16 * n; i++) {
        uint32_t from = (uint32_t)metadata[i], word = 0;
        for (int group = 0; group < 8; group++) word |= patterns[(from >> 4 * group & 15) % 6] << 4 * group;
        metadata[i] = word;
    }
}

void reference(const double *values, const double *metadata, const double *b, double *d, double *d_bound, int64_t n) {
    for (int64_t i = 0; i < 128 * n; i++) {
        int64_t tile = i / 128, row = i % 128 / 8, column = i % 8;
        uint32_t word = (uint32_t)metadata[tile * 16 + row];
        double sum = 0, magnitude = 0;
        for (int64_t e = 0; e < 16; e++) {
            int64_t k = e / 2 * 4 + (word >> 2 * e & 3);
            double product = values[tile * 256 + row * 16 + e] * b[tile * 256 + column * 32 + k];
            sum += product, magnitude += fabs(product);
        }
        d[i] = sum;
        d_bound[i] = 16 * U_F32 * magnitude;
    }
}
