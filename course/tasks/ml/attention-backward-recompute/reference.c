// lse and delta are inputs: what a forward pass and attention-delta would have left.
static double dot(const double *a, const double *b, double *error) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < 64; i++)
        sum += a[i] * b[i], magnitude += fabs(a[i] * b[i]);
    *error = (2 + 2 * sqrt(64.0)) * U_F32 * magnitude;
    return sum;
}

void inputs(uint64_t seed, double *q, double *k, double *v, double *dout,
            double *lse, double *delta, int64_t queries, int64_t keys) {
    (void)seed;
    for (int64_t i = 0; i < queries; i++) {
        double sum = 0, weighted = 0, ignored;
        for (int64_t j = 0; j < keys; j++) {
            double weight =
                exp(0.125 * dot(q + i * 64, k + j * 64, &ignored));
            sum += weight, weighted += weight * dot(dout + i * 64,
                                                    v + j * 64, &ignored);
        }
        lse[i] = log(sum), delta[i] = weighted / sum;
    }
}

static void add(double *y, double *y_bound, double factor, double error,
                const double *x, double roundings) {
    for (int64_t i = 0; i < 64; i++) {
        y[i] += factor * x[i];
        y_bound[i] +=
            (error + roundings * U_F32 * fabs(factor)) * fabs(x[i]);
    }
}

// With P = exp(scale q k^T - lse): dv = P^T dout, dS = P (dout v^T - delta), dq = scale dS k, dk = scale dS^T q.
// A dot product of n terms in float is off by (2 + 2 sqrt(n)) U times the sum of their magnitudes; an error of a score
// is a relative one of its weight. Magnitudes of dP and delta, which cancel, are added.
void reference(const double *q, const double *k, const double *v,
               const double *dout, const double *lse, const double *delta,
               double *dq, double *dq_bound, double *dk, double *dk_bound,
               double *dv, double *dv_bound, int64_t queries,
               int64_t keys) {
    double scale = 0.125, by_keys = 4 + 2 * sqrt((double)keys),
           by_queries = 4 + 2 * sqrt((double)queries);
    for (int64_t i = 0; i < queries * 64; i++)
        dq[i] = 0, dq_bound[i] = 0x1p-126;
    for (int64_t i = 0; i < keys * 64; i++)
        dk[i] = dv[i] = 0, dk_bound[i] = dv_bound[i] = 0x1p-126;
    for (int64_t i = 0; i < queries; i++)
        for (int64_t j = 0; j < keys; j++) {
            const double *query = q + i * 64, *key = k + j * 64,
                         *up = dout + i * 64;
            double score_error, dp_error,
                score = scale * dot(query, key, &score_error);
            double dp = dot(up, v + j * 64, &dp_error),
                   p = exp(score - lse[i]), ds = p * (dp - delta[i]);
            double p_error =
                scale * score_error +
                U_F32 * (6 + 3 * fabs(score) + fabs(score - lse[i]));
            double ds_error =
                p * ((p_error + 2 * U_F32) * (fabs(dp) + fabs(delta[i])) +
                     dp_error);
            add(dv + j * 64, dv_bound + j * 64, p, p * p_error, up,
                by_queries);
            add(dq + i * 64, dq_bound + i * 64, scale * ds,
                scale * ds_error, key, by_keys);
            add(dk + j * 64, dk_bound + j * 64, scale * ds,
                scale * ds_error, query, by_queries);
        }
}
