// Random words hardly ever make a carry walk. So three of four words of y complete x to all ones, and in
// the first number a carry goes through all 32 words.
void inputs(uint64_t seed, double *x, double *y, int64_t numbers) {
    for (int64_t i = 0; i < numbers * 32; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (seed >> 62 || i < 32) y[i] = 4294967295.0 - x[i];
    }
    x[0] = 4294967295.0;
    y[0] = 1;
}

void reference(const double *x, const double *y, double *z, double *z_bound, int64_t numbers) {
    (void)z_bound;
    uint64_t carry = 0;
    for (int64_t i = 0; i < numbers * 32; i++) {
        uint64_t sum = (uint64_t)x[i] + (uint64_t)y[i] + (i % 32 ? carry : 0);
        carry = sum >> 32;
        z[i] = (double)(sum & UINT32_MAX);
    }
}
