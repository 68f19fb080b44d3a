// lse and delta are inputs: what a forward pass and attention-delta would have left.
static double dot(const double *a, const double *b, double *error) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < 64; i++)
        sum += a[i] * b[i], magnitude += fabs(a[i] * b[i]);
    *error = 24 * U_F32 * magnitude;
    return sum;
}

void inputs(uint64_t seed, double *q, double *k, double *v, double *dout,
            double *lse, double *delta, int64_t heads, int64_t rows) {
    (void)seed;
    for (int64_t row = 0; row < heads * rows; row++) {
        int64_t first = row / rows * rows;
        double sum = 0, weighted = 0, ignored;
        for (int64_t j = first; j <= row; j++) {
            double weight =
                exp(0.125 * dot(q + row * 64, k + j * 64, &ignored));
            sum += weight, weighted += weight * dot(dout + row * 64,
                                                    v + j * 64, &ignored);
        }
        lse[row] = log(sum), delta[row] = weighted / sum;
    }
}

// y += factor x, and its error: that of the factor, which may be rounded to bfloat16, and of a sum of n terms.
static void add(double *y, double *y_bound, double factor, double error,
                const double *x, int64_t n) {
    for (int64_t i = 0; i < 64; i++) {
        y[i] += factor * x[i];
        y_bound[i] += (error + (1.5 * U_BF16 + (16 + n / 4.0) * U_F32) *
                                   fabs(factor)) *
                      fabs(x[i]);
    }
}

// Query i sees the keys 0 to i. With P = exp(scale q k^T - lse): dv = P^T dout, dS = P (dout v^T - delta),
// dq = scale dS k, dk = scale dS^T q.
//
// Bound: products of two bfloat16 are exact in float; sums on tensor cores truncate. An error of a score is a relative
// one of its weight. Weights and dS may be rounded to bfloat16 before they multiply, the results once more.
// Magnitudes of dP and delta, which cancel, are added.
void reference(const double *q, const double *k, const double *v,
               const double *dout, const double *lse, const double *delta,
               double *dq, double *dq_bound, double *dk, double *dk_bound,
               double *dv, double *dv_bound, int64_t heads, int64_t rows) {
    double scale = 0.125;
    int64_t count = heads * rows * 64;
    for (int64_t i = 0; i < count; i++)
        dq[i] = dk[i] = dv[i] = 0,
        dq_bound[i] = dk_bound[i] = dv_bound[i] = 0;
    for (int64_t i = 0; i < heads * rows; i++)
        for (int64_t j = i / rows * rows; j <= i; j++) {
            const double *query = q + i * 64, *key = k + j * 64,
                         *up = dout + i * 64;
            double score_error, dp_error,
                score = scale * dot(query, key, &score_error);
            double dp = dot(up, v + j * 64, &dp_error),
                   p = exp(score - lse[i]), ds = p * (dp - delta[i]);
            double p_error =
                scale * score_error +
                U_F32 * (8 + 4 * fabs(score) + 2 * fabs(lse[i]));
            double ds_error =
                p * ((p_error + 2 * U_F32) * (fabs(dp) + fabs(delta[i])) +
                     dp_error);
            add(dv + j * 64, dv_bound + j * 64, p, p * p_error, up, rows);
            add(dq + i * 64, dq_bound + i * 64, scale * ds,
                scale * ds_error, key, rows);
            add(dk + j * 64, dk_bound + j * 64, scale * ds,
                scale * ds_error, query, rows);
        }
    for (int64_t i = 0; i < count; i++) {
        dq_bound[i] += 1.01 * U_BF16 * fabs(dq[i]) + 0x1p-120;
        dk_bound[i] += 1.01 * U_BF16 * fabs(dk[i]) + 0x1p-120;
        dv_bound[i] += 1.01 * U_BF16 * fabs(dv[i]) + 0x1p-120;
    }
}
