// fails: result
// The starter: four times the same.
// The variance of n numbers by four formulas. All in float; the order of the
// operations is given, and the results are compared bit by bit.

static float from_sums(float s, float q, int n) {
    float mean = s / (float)n;
    return q / (float)n - mean * mean;
}

void variances(const float *x, float *shortcut, float *shifted,
               float *two_pass, float *welford, int n) {
    float s = 0.0f, q = 0.0f;
    for (int i = 0; i < n; i++) {
        s += x[i];
        q += x[i] * x[i];
    }
    shortcut[0] = from_sums(s, q, n);
    float ds = 0.0f, dq = 0.0f, mean = s / (float)n, far = 0.0f;
    for (int i = 0; i < n; i++) {
        float d = x[i] - x[0];
        ds += d;
        dq += d * d;
    }
    shifted[0] = shortcut[0];
    for (int i = 0; i < n; i++) {
        float d = x[i] - mean;
        far += d * d;
    }
    two_pass[0] = far / (float)n;
    float running = 0.0f, squares = 0.0f;
    for (int k = 0; k < n; k++) {
        float d = x[k] - running;
        running += d / (float)(k + 1);
        squares += d * (x[k] - running);
    }
    welford[0] = squares / (float)n;
}
