// Every second head has scores whose exponentials overflow.
void inputs(uint64_t seed, double *q, double *k, double *v, int64_t heads,
            int64_t rows) {
    (void)seed, (void)k, (void)v;
    for (int64_t i = 0; i < heads * rows * 64; i++)
        if (i / 64 / rows % 2 == 0) q[i] *= 32;
}

// Causal attention: query i sees the keys 0 to i.
//
// Bound: products of two bfloat16 are exact in float; sums on tensor cores truncate, at most 2 U for each of the 64 / 8
// additions of groups and within them. An error of a score is a relative one of its weight. A weight may be rounded to
// bfloat16 before it multiplies its value, the result once more.
void reference(const double *q, const double *k, const double *v,
               double *out, double *out_bound, int64_t heads,
               int64_t rows) {
    double *p = malloc(rows * sizeof *p),
           *error = malloc(rows * sizeof *error);
    for (int64_t row = 0; row < heads * rows; row++) {
        int64_t head = row / rows, i = row % rows;
        const double *query = q + row * 64, *key = k + head * rows * 64,
                     *value = v + head * rows * 64;
        double greatest = -INFINITY, sum = 0, most = 0,
               *to = out + row * 64, *bound = out_bound + row * 64;
        for (int64_t j = 0; j <= i; j++) {
            double score = 0, magnitude = 0;
            for (int64_t c = 0; c < 64; c++) {
                double product = 0.125 * query[c] * key[j * 64 + c];
                score += product, magnitude += fabs(product);
            }
            p[j] = score,
            error[j] = U_F32 * (24 * magnitude + 4 * fabs(score));
            greatest = fmax(greatest, score), most = fmax(most, error[j]);
        }
        for (int64_t j = 0; j <= i; j++) sum += exp(p[j] - greatest);
        for (int64_t c = 0; c < 64; c++) to[c] = bound[c] = 0;
        for (int64_t j = 0; j <= i; j++) {
            double weight = exp(p[j] - greatest) / sum;
            double relative =
                1.01 * U_BF16 + error[j] + most +
                U_F32 * (16 + 4 * (greatest - p[j]) + i / 4.0);
            for (int64_t c = 0; c < 64; c++) {
                to[c] += weight * value[j * 64 + c];
                bound[c] += weight * relative * fabs(value[j * 64 + c]);
            }
        }
        for (int64_t c = 0; c < 64; c++)
            bound[c] += 1.01 * U_BF16 * fabs(to[c]) + 0x1p-120;
    }
    free(p), free(error);
}
