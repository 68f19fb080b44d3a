// The first sequence fills its pages, the next has half of that, less 1, and so on. Table entries of pages without a
// position are -1.
void inputs(uint64_t seed, double *q, double *k, double *v, double *table,
            double *lengths, int64_t sequences, int64_t most) {
    (void)seed, (void)q, (void)k, (void)v;
    for (int64_t s = 0; s < sequences; s++) {
        lengths[s] = fmax(1, floor((double)(most * 16) / (double)(s + 1)) -
                                 (double)s);
        for (int64_t page = 0; page < most; page++)
            if ((double)page * 16 >= lengths[s])
                table[s * most + page] = -1;
    }
}

// Bound: products of a float and a half round once, 64 of them are added. An error of a score is a relative one of its
// weight, and by way of the sum another; parts may be rescaled.
void reference(const double *q, const double *k, const double *v,
               const double *table, const double *lengths, double *out,
               double *out_bound, int64_t sequences, int64_t most_pages) {
    for (int64_t s = 0; s < sequences; s++) {
        int64_t keys = (int64_t)lengths[s];
        double *p = malloc(keys * sizeof *p),
               *error = malloc(keys * sizeof *error);
        double greatest = -INFINITY, sum = 0, most = 0, *to = out + s * 64,
               *bound = out_bound + s * 64;
        for (int64_t j = 0; j < keys; j++) {
            const double *key =
                k +
                ((int64_t)table[s * most_pages + j / 16] * 16 + j % 16) *
                    64;
            double score = 0, magnitude = 0;
            for (int64_t c = 0; c < 64; c++) {
                double product = 0.125 * q[s * 64 + c] * key[c];
                score += product, magnitude += fabs(product);
            }
            p[j] = score,
            error[j] = U_F32 * (18 * magnitude + 2 * fabs(score));
            greatest = fmax(greatest, score), most = fmax(most, error[j]);
        }
        for (int64_t j = 0; j < keys; j++) sum += exp(p[j] - greatest);
        for (int64_t c = 0; c < 64; c++) to[c] = 0, bound[c] = 0x1p-126;
        for (int64_t j = 0; j < keys; j++) {
            const double *value =
                v +
                ((int64_t)table[s * most_pages + j / 16] * 16 + j % 16) *
                    64;
            double weight = exp(p[j] - greatest) / sum;
            double relative = error[j] + most +
                              U_F32 * (16 + 4 * (greatest - p[j]) +
                                       4 * sqrt((double)keys));
            for (int64_t c = 0; c < 64; c++) {
                to[c] += weight * value[c];
                bound[c] += weight * relative * fabs(value[c]);
            }
        }
        free(p), free(error);
    }
}
