// Every third query is larger, so that its scores overflow exp, and every third one smaller, so that all keys count.
void inputs(uint64_t seed, double *q, double *k, double *v, int64_t queries, int64_t keys) {
    (void)seed, (void)k, (void)v, (void)keys;
    for (int64_t i = 0; i < queries * 64; i++) q[i] = (double)(float)(q[i] * (double)(1 << 3 * (i / 64 % 3)));
}

// Attention of one query over its first `visible` keys. A score is off by the roundings of its sum and of the scale, and by
// those of the exponent: that is its weight's relative error e_j. To first order the result then moves by the sum of
// p_j e_j |v_j - out|. To that comes the rounding of two sums over the keys, each corrected once for a key or less often.
static void attend(const double *q, const double *k, const double *v, double *out, double *out_bound,
                   int64_t visible, double *weight, double *error) {
    double greatest = -INFINITY, total = 0, roundings = U_F32 * (8 + 4 * sqrt((double)visible));
    for (int64_t j = 0; j < visible; j++) {
        double sum = 0, size = 0;
        for (int c = 0; c < 64; c++) sum += q[c] * k[j * 64 + c], size += fabs(q[c] * k[j * 64 + c]);
        weight[j] = sum / 8, error[j] = size / 8 * 18;
        greatest = fmax(greatest, weight[j]);
    }
    for (int64_t j = 0; j < visible; j++) {
        error[j] = U_F32 * (error[j] + fabs(weight[j]) + 4 * (greatest - weight[j]) + 8);
        total += weight[j] = exp(weight[j] - greatest);
    }
    double sum[64] = {0}, size[64] = {0}, moved[64] = {0};
    for (int64_t j = 0; j < visible; j++)
        for (int c = 0; c < 64; c++) {
            sum[c] += weight[j] / total * v[j * 64 + c];
            size[c] += weight[j] / total * fabs(v[j * 64 + c]);
        }
    for (int64_t j = 0; j < visible; j++)
        for (int c = 0; c < 64; c++) moved[c] += weight[j] / total * error[j] * fabs(v[j * 64 + c] - sum[c]);
    for (int c = 0; c < 64; c++) {
        out[c] = sum[c];
        out_bound[c] = moved[c] + roundings * (size[c] + fabs(sum[c])) + 0x1p-120;
    }
}

void reference(const double *q, const double *k, const double *v, double *out, double *out_bound,
               int64_t queries, int64_t keys) {
    double *room = malloc(2 * (size_t)keys * sizeof *room);
    for (int64_t row = 0; row < queries && room; row++)
        attend(&q[row * 64], k, v, &out[row * 64], &out_bound[row * 64], keys, room, room + keys);
    free(room);
}
