// Lengths are 0, a quarter, a half and all of the longest, in an order that the seed chooses. What lies past a sequence's end
// is NaN in one half of the places and a large number in the other.
void inputs(uint64_t seed, double *scores, double *lengths, double *v, int64_t batch, int64_t heads,
            int64_t longest) {
    static const int quarters[] = {4, 1, 2, 0};
    for (int64_t b = 0; b < batch; b++)
        lengths[b] = (double)(quarters[(b + (int64_t)(seed % 4)) % 4] * longest / 4);
    for (int64_t row = 0; row < batch * heads * longest; row++) {
        int64_t length = (int64_t)lengths[row / longest / heads];
        for (int64_t j = 0; j < longest; j++)
            if (row % longest >= length || j >= length) scores[row * longest + j] = j % 2 ? NAN : 80;
        for (int64_t c = 0; c < 64 && row % longest >= length; c++) v[row * 64 + c] = c % 2 ? NAN : 1e6;
    }
}

// A weight is off by the roundings of its exponent and those of the sum it is divided by; to first order the result moves by
// the sum of p_j e_j |v_j - out|. Then two sums over the keys.
void reference(const double *scores, const double *lengths, const double *v, double *out, double *out_bound,
               int64_t batch, int64_t heads, int64_t longest) {
    double *weight = malloc((size_t)longest * sizeof *weight);
    for (int64_t row = 0; row < batch * heads * longest && weight; row++) {
        int64_t length = (int64_t)lengths[row / longest / heads], seen = row % longest < length ? length : 0;
        const double *score = &scores[row * longest], *value = &v[row / longest * longest * 64];
        double greatest = -INFINITY, total = 0, roundings = U_F32 * (8 + 4 * sqrt((double)length));
        double sum[64] = {0}, size[64] = {0}, moved[64] = {0};
        for (int64_t j = 0; j < seen; j++) greatest = fmax(greatest, score[j]);
        for (int64_t j = 0; j < seen; j++) total += weight[j] = exp(score[j] - greatest);
        for (int64_t j = 0; j < seen; j++)
            for (int c = 0; c < 64; c++) {
                sum[c] += weight[j] / total * value[j * 64 + c];
                size[c] += weight[j] / total * fabs(value[j * 64 + c]);
            }
        for (int64_t j = 0; j < seen; j++) {
            double error = U_F32 * (4 * (greatest - score[j]) + 8);
            for (int c = 0; c < 64; c++)
                moved[c] += weight[j] / total * error * fabs(value[j * 64 + c] - sum[c]);
        }
        for (int c = 0; c < 64; c++) {
            out[row * 64 + c] = sum[c];
            out_bound[row * 64 + c] = seen ? moved[c] + roundings * (size[c] + fabs(sum[c])) + 0x1p-120 : 0;
        }
    }
    free(weight);
}
