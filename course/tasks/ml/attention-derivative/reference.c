// With P = softmax(scale q k^T) and out = P v:
//     dv = P^T dout, dS = P (dout v^T - delta), delta = row sums of dout * out, dq = scale dS k, dk = scale dS^T q
//
// Bound: a dot product of n terms in float is off by (2 + 2 sqrt(n)) U times the sum of their magnitudes. An error of a
// score is a relative one of its weight, and by way of the sum another; expf and the sum add theirs. Magnitudes of dP
// and delta, which cancel, are added.
static double dot(const double *a, const double *b, int64_t n,
                  double *error) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i], magnitude += fabs(a[i] * b[i]);
    *error = (2 + 2 * sqrt((double)n)) * U_F32 * magnitude;
    return sum;
}

static void add(double *y, double *y_bound, double factor, double error,
                const double *x, int64_t n, double roundings) {
    for (int64_t i = 0; i < n; i++) {
        y[i] += factor * x[i];
        y_bound[i] +=
            (error + roundings * U_F32 * fabs(factor)) * fabs(x[i]);
    }
}

void reference(const double *q, const double *k, const double *v,
               const double *dout, double *dq, double *dq_bound, double *dk,
               double *dk_bound, double *dv, double *dv_bound,
               int64_t queries, int64_t keys, int64_t width) {
    double scale = 1 / sqrt((double)width),
           by_keys = 4 + 2 * sqrt((double)keys),
           by_queries = 4 + 2 * sqrt((double)queries);
    double *p = malloc(keys * sizeof *p),
           *p_error = malloc(keys * sizeof *p); // relative
    double *out = malloc(width * sizeof *out),
           *out_error = malloc(width * sizeof *out);
    for (int64_t i = 0; i < queries * width; i++) dq[i] = dq_bound[i] = 0;
    for (int64_t i = 0; i < keys * width; i++)
        dk[i] = dk_bound[i] = dv[i] = dv_bound[i] = 0;
    for (int64_t i = 0; i < queries; i++) {
        const double *query = q + i * width, *up = dout + i * width;
        double greatest = -INFINITY, sum = 0, most = 0, delta_error,
               dot_error;
        for (int64_t j = 0; j < keys; j++) {
            p[j] = scale * dot(query, k + j * width, width, &dot_error);
            p_error[j] = scale * dot_error + 3 * U_F32 * fabs(p[j]);
            greatest = fmax(greatest, p[j]), most = fmax(most, p_error[j]);
        }
        for (int64_t j = 0; j < keys; j++) sum += exp(p[j] - greatest);
        for (int64_t c = 0; c < width; c++) out[c] = out_error[c] = 0;
        for (int64_t j = 0; j < keys; j++) {
            p_error[j] +=
                most + U_F32 * (8 + 4 * (greatest - p[j]) + by_keys);
            p[j] = exp(p[j] - greatest) / sum;
            add(out, out_error, p[j], p[j] * p_error[j], v + j * width,
                width, by_keys);
        }
        double delta = dot(up, out, width, &delta_error);
        for (int64_t c = 0; c < width; c++)
            delta_error += fabs(up[c]) * out_error[c];
        for (int64_t j = 0; j < keys; j++) {
            double dp = dot(up, v + j * width, width, &dot_error),
                   ds = p[j] * (dp - delta);
            double ds_error = p[j] * ((p_error[j] + 2 * U_F32) *
                                          (fabs(dp) + fabs(delta)) +
                                      dot_error + delta_error);
            add(dv + j * width, dv_bound + j * width, p[j],
                p[j] * p_error[j], up, width, by_queries);
            add(dq + i * width, dq_bound + i * width, scale * ds,
                scale * ds_error, k + j * width, width, by_keys);
            add(dk + j * width, dk_bound + j * width, scale * ds,
                scale * ds_error, query, width, by_queries);
        }
    }
    for (int64_t i = 0; i < queries * width; i++) dq_bound[i] += 0x1p-126;
    for (int64_t i = 0; i < keys * width; i++)
        dk_bound[i] += 0x1p-126, dv_bound[i] += 0x1p-126;
    free(p), free(p_error), free(out), free(out_error);
}
