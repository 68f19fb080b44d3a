void reference(const double *x, double *values, double *values_bound, double *metadata, double *metadata_bound, int64_t n) {
    for (int64_t word = 0; word < n; word++) metadata[word] = 0, metadata_bound[word] = -1;
    for (int64_t group = 0; group < 8 * n; group++) {
        const double *e = &x[4 * group];
        int count = 0, bits = 0;
        for (int i = 0; i < 4; i++) {
            int better = 0;
            for (int j = 0; j < 4; j++) better += fabs(e[j]) > fabs(e[i]) || (fabs(e[j]) == fabs(e[i]) && j < i);
            if (better >= 2) continue;
            values[2 * group + count] = e[i], values_bound[2 * group + count] = -1;
            bits |= i << 2 * count++;
        }
        metadata[group / 8] += ldexp(bits, (int)(4 * (group % 8)));
    }
}
