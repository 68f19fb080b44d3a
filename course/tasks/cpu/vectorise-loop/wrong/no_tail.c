// fails: result
// Eight sums by hand, and the last n modulo 8 elements forgotten.
void blend(const float *restrict x, const float *restrict y, float *restrict z, float *restrict total, float gain, int n) {
    float part[8] = {0.0f};
    for (int i = 0; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) {
            float v = gain * x[i + k] + y[i + k];
            z[i + k] = v > 0.0f ? v : 0.0f;
            part[k] += z[i + k];
        }
    total[0] = part[0] + part[1] + part[2] + part[3] + part[4] + part[5] + part[6] + part[7];
}
