// The angle of position p and pair i is p / 10000^(i / 32). Weights are small enough that scores are a few units.
void inputs(uint64_t seed, double *x, double *gain, double *w_qkv,
            double *w_out, double *cosines, double *sines, int64_t rows,
            int64_t model, int64_t heads) {
    (void)seed, (void)x, (void)gain;
    double factor = 2 / sqrt((double)model);
    for (int64_t i = 0; i < model * 3 * heads * 64; i++) w_qkv[i] *= factor;
    for (int64_t i = 0; i < heads * 64 * model; i++) w_out[i] *= 0.1;
    for (int64_t i = 0; i < rows * 32; i++) {
        double angle = (double)(i / 32) / pow(10000, (double)(i % 32) / 32);
        cosines[i] = cos(angle), sines[i] = sin(angle);
    }
}

// Sums of n terms in float are off by (2 + 2 sqrt(n)) U times the sum of their magnitudes. Errors are carried on: those of
// q and k to the scores, those of the scores and of v to the results, theirs to y.
static double off(int64_t n) { return (2 + 2 * sqrt((double)n)) * U_F32; }

// qkv and its error: (3 heads) x rows x 64, normalised, projected, q and k rotated.
static void project(double *qkv, double *error, const double *x,
                    const double *gain, const double *w,
                    const double *cosines, const double *sines,
                    int64_t rows, int64_t model, int64_t heads) {
    int64_t columns = 3 * heads * 64;
    for (int64_t row = 0; row < rows; row++) {
        double squares = 0;
        for (int64_t i = 0; i < model; i++)
            squares += x[row * model + i] * x[row * model + i];
        double scale = 1 / sqrt(squares / (double)model + 1e-5);
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < model; i++) {
                double term = scale * x[row * model + i] * gain[i] *
                              w[i * columns + j];
                sum += term, magnitude += fabs(term);
            }
            int64_t at = (j / 64 * rows + row) * 64 + j % 64;
            qkv[at] = sum,
            error[at] = (off(model) + 6 * U_F32) * magnitude +
                        off(model) * fabs(sum);
        }
        for (int64_t head = 0; head < 2 * heads; head++)
            for (int64_t i = 0; i < 32; i++) {
                double *a = &qkv[(head * rows + row) * 64 + i], *b = a + 32,
                       low = *a, high = *b;
                double *a_error = &error[(head * rows + row) * 64 + i],
                       *b_error = a_error + 32;
                double c = cosines[row * 32 + i], s = sines[row * 32 + i],
                       of_a = *a_error, of_b = *b_error;
                *a = low * c - high * s, *b = low * s + high * c;
                *a_error = fabs(c) * of_a + fabs(s) * of_b +
                           3 * U_F32 * (fabs(low * c) + fabs(high * s));
                *b_error = fabs(s) * of_a + fabs(c) * of_b +
                           3 * U_F32 * (fabs(low * s) + fabs(high * c));
            }
    }
}

// One query's result, into out[64].
static void attend(double *out, double *out_error, const double *q,
                   const double *q_error, const double *k,
                   const double *k_error, const double *v,
                   const double *v_error, int64_t keys) {
    double *p = malloc(keys * sizeof *p),
           *error = malloc(keys * sizeof *error), greatest = -INFINITY,
           sum = 0, most = 0;
    for (int64_t j = 0; j < keys; j++) {
        double score = 0, magnitude = 0, carried = 0;
        for (int64_t c = 0; c < 64; c++) {
            double product = 0.125 * q[c] * k[j * 64 + c];
            score += product, magnitude += fabs(product);
            carried += 0.125 * (fabs(q[c]) * k_error[j * 64 + c] +
                                fabs(k[j * 64 + c]) * q_error[c]);
        }
        p[j] = score,
        error[j] = carried + off(64) * magnitude + 2 * U_F32 * fabs(score);
        greatest = fmax(greatest, score), most = fmax(most, error[j]);
    }
    for (int64_t j = 0; j < keys; j++) sum += exp(p[j] - greatest);
    for (int64_t c = 0; c < 64; c++) out[c] = out_error[c] = 0;
    for (int64_t j = 0; j < keys; j++) {
        double weight = exp(p[j] - greatest) / sum;
        double relative =
            error[j] + most +
            U_F32 * (10 + 4 * (greatest - p[j]) + 4 * sqrt((double)keys));
        for (int64_t c = 0; c < 64; c++) {
            out[c] += weight * v[j * 64 + c];
            out_error[c] += weight * (relative * fabs(v[j * 64 + c]) +
                                      v_error[j * 64 + c]);
        }
    }
    free(p), free(error);
}

void reference(const double *x, const double *gain, const double *w_qkv,
               const double *w_out, const double *cosines,
               const double *sines, double *y, double *y_bound,
               int64_t rows, int64_t model, int64_t heads) {
    int64_t size = heads * rows * 64;
    double *qkv = malloc(3 * size * sizeof *qkv),
           *error = malloc(3 * size * sizeof *error);
    double *out = malloc(heads * 64 * sizeof *out),
           *out_error = malloc(heads * 64 * sizeof *out_error);
    project(qkv, error, x, gain, w_qkv, cosines, sines, rows, model, heads);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t head = 0; head < heads; head++) {
            int64_t keys = head * rows * 64, query = keys + row * 64;
            attend(out + head * 64, out_error + head * 64, qkv + query,
                   error + query, qkv + size + keys, error + size + keys,
                   qkv + 2 * size + keys, error + 2 * size + keys, row + 1);
        }
        for (int64_t c = 0; c < model; c++) {
            double sum = 0, magnitude = 0, carried = 0;
            for (int64_t i = 0; i < heads * 64; i++) {
                double term = out[i] * w_out[i * model + c];
                sum += term, magnitude += fabs(term),
                    carried += out_error[i] * fabs(w_out[i * model + c]);
            }
            y[row * model + c] = x[row * model + c] + sum;
            y_bound[row * model + c] = carried +
                                       off(heads * 64) * magnitude +
                                       U_F32 * fabs(y[row * model + c]);
        }
    }
    free(qkv), free(error), free(out), free(out_error);
}
