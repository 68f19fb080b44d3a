// Row i sees the keys max(0, i - window + 1) to i.
//
// Bound: a dot product of n terms in float is off by (2 + 2 sqrt(n)) U times the sum of their magnitudes. An error of a
// score is a relative one of its weight, and by way of the sum another; each tile may rescale once.
void reference(const double *q, const double *k, const double *v,
               double *out, double *out_bound, int64_t rows,
               int64_t window) {
    double *p = malloc(rows * sizeof *p),
           *error = malloc(rows * sizeof *error);
    for (int64_t i = 0; i < rows; i++) {
        int64_t begin = i - window + 1 > 0 ? i - window + 1 : 0,
                count = i + 1 - begin;
        double greatest = -INFINITY, sum = 0, most = 0;
        for (int64_t j = begin; j <= i; j++) {
            double score = 0, magnitude = 0;
            for (int64_t c = 0; c < 64; c++) {
                double product = 0.125 * q[i * 64 + c] * k[j * 64 + c];
                score += product, magnitude += fabs(product);
            }
            p[j] = score,
            error[j] = U_F32 * (18 * magnitude + 2 * fabs(score));
            greatest = fmax(greatest, score), most = fmax(most, error[j]);
        }
        for (int64_t j = begin; j <= i; j++) sum += exp(p[j] - greatest);
        for (int64_t c = 0; c < 64; c++)
            out[i * 64 + c] = 0, out_bound[i * 64 + c] = 0x1p-126;
        for (int64_t j = begin; j <= i; j++) {
            double weight = exp(p[j] - greatest) / sum;
            double relative =
                error[j] + most +
                U_F32 * (10 + 4 * (greatest - p[j]) +
                         4 * sqrt((double)count) + count / 16.0);
            for (int64_t c = 0; c < 64; c++) {
                out[i * 64 + c] += weight * v[j * 64 + c];
                out_bound[i * 64 + c] +=
                    weight * relative * fabs(v[j * 64 + c]);
            }
        }
    }
    free(p), free(error);
}
