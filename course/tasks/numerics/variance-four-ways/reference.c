// Every operation in float, in the order that the statement gives; volatile: rounded after each of them.
static double from_sums(float s, float q, float n) {
    volatile float mean = s / n, square = mean * mean, result = q / n;
    result = result - square;
    return (double)result;
}

static double shortcut_of(const double *x, double shift, int64_t n) {
    volatile float s = 0, q = 0, d, square;
    for (int64_t i = 0; i < n; i++) {
        d = (float)x[i] - (float)shift;
        square = d * d;
        s = s + d, q = q + square;
    }
    return from_sums(s, q, (float)n);
}

void reference(const double *x, double *shortcut, double *shortcut_bound, double *shifted, double *shifted_bound, double *two_pass,
               double *two_pass_bound, double *welford, double *welford_bound, int64_t n) {
    (void)shortcut_bound, (void)shifted_bound, (void)two_pass_bound, (void)welford_bound;
    volatile float s = 0, mean, far = 0, running = 0, squares = 0, d, step;
    shortcut[0] = shortcut_of(x, 0, n);
    shifted[0] = shortcut_of(x, x[0], n);
    for (int64_t i = 0; i < n; i++) s = s + (float)x[i];
    mean = s / (float)n;
    for (int64_t i = 0; i < n; i++) {
        d = (float)x[i] - mean;
        step = d * d, far = far + step;
    }
    two_pass[0] = (double)(far / (float)n);
    for (int64_t k = 0; k < n; k++) {
        d = (float)x[k] - running;
        step = d / (float)(k + 1), running = running + step;
        step = (float)x[k] - running, step = d * step, squares = squares + step;
    }
    welford[0] = (double)(squares / (float)n);
}
