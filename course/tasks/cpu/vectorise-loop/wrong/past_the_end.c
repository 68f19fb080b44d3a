// fails: fault
// Rounds n up to whole vectors: reads and writes beyond the end.
void blend(const float *restrict x, const float *restrict y, float *restrict z, float *restrict total, float gain, int n) {
    float part[4] = {0.0f};
    for (int i = 0; i < (n + 3) / 4 * 4; i += 4)
        for (int k = 0; k < 4; k++) {
            float v = gain * x[i + k] + y[i + k];
            z[i + k] = v > 0.0f ? v : 0.0f;
            part[k] += z[i + k];
        }
    total[0] = part[0] + part[1] + part[2] + part[3];
}
