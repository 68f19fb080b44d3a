void reference(const double *x, double *heads, double *heads_bound, int64_t n) {
    (void)heads_bound;
    for (int64_t w = 0; w < (n + 31) / 32; w++) heads[w] = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || x[i] != x[i - 1]) heads[i / 32] += (double)(UINT32_C(1) << (i % 32));
}
