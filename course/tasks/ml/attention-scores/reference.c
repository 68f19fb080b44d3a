// Each score is a sum of `dimension` products, in any order (as for a matrix product), and one more rounding by the scale.
void reference(const double *q, const double *k, double *scores, double *scores_bound, int64_t batch,
               int64_t heads, int64_t queries, int64_t keys, int64_t dimension, double scale) {
    for (int64_t at = 0; at < batch * heads * queries * keys; at++) {
        int64_t key = at % keys, query = at / keys % queries, head = at / keys / queries % heads,
                b = at / keys / queries / heads;
        const double *left = &q[((b * queries + query) * heads + head) * dimension];
        const double *right = &k[((b * keys + key) * heads + head) * dimension];
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < dimension; c++)
            sum += left[c] * right[c], magnitude += fabs(left[c] * right[c]);
        scores[at] = scale * sum;
        scores_bound[at] = scale * U_F32 * ((2 + 2 * sqrt((double)dimension)) * magnitude + fabs(sum));
    }
}
