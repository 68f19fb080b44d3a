// fails: gate instructions
// Only restrict: the order of the sum still ties the elements together.
void blend(const float *restrict x, const float *restrict y, float *restrict z, float *restrict total, float gain, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        float v = gain * x[i] + y[i];
        z[i] = v > 0.0f ? v : 0.0f;
        sum += z[i];
    }
    total[0] = sum;
}
