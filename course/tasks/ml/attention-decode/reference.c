// Query head h of a sequence looks at head h / (heads / kv_heads) of its keys and values.
//
// Bound: products of two halves are exact in float; 64 of them and the scale add some roundings. An error of a score is a
// relative one of its weight, and by way of the sum another; parts may be rescaled.
void reference(const double *q, const double *k, const double *v,
               double *out, double *out_bound, int64_t sequences,
               int64_t heads, int64_t kv_heads, int64_t keys) {
    double *p = malloc(keys * sizeof *p),
           *error = malloc(keys * sizeof *error);
    for (int64_t row = 0; row < sequences * heads; row++) {
        int64_t head = row / (heads / kv_heads);
        const double *query = q + row * 64, *key = k + head * keys * 64,
                     *value = v + head * keys * 64;
        double greatest = -INFINITY, sum = 0, most = 0,
               *to = out + row * 64, *bound = out_bound + row * 64;
        for (int64_t j = 0; j < keys; j++) {
            double score = 0, magnitude = 0;
            for (int64_t c = 0; c < 64; c++) {
                double product = 0.125 * query[c] * key[j * 64 + c];
                score += product, magnitude += fabs(product);
            }
            p[j] = score,
            error[j] = U_F32 * (18 * magnitude + 2 * fabs(score));
            greatest = fmax(greatest, score), most = fmax(most, error[j]);
        }
        for (int64_t j = 0; j < keys; j++) sum += exp(p[j] - greatest);
        for (int64_t c = 0; c < 64; c++) to[c] = 0, bound[c] = 0x1p-126;
        for (int64_t j = 0; j < keys; j++) {
            double weight = exp(p[j] - greatest) / sum;
            double relative = error[j] + most +
                              U_F32 * (16 + 4 * (greatest - p[j]) +
                                       4 * sqrt((double)keys));
            for (int64_t c = 0; c < 64; c++) {
                to[c] += weight * value[j * 64 + c];
                bound[c] += weight * relative * fabs(value[j * 64 + c]);
            }
        }
    }
    free(p), free(error);
}
