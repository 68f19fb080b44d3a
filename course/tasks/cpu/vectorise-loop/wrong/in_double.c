// fails: gate instructions
// A constant without f: everything is converted to double and back.
void blend(const float *restrict x, const float *restrict y, float *restrict z, float *restrict total, float gain, int n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        double v = 1.0 * gain * x[i] + y[i];
        z[i] = v > 0.0 ? v : 0.0;
        sum += z[i];
    }
    total[0] = sum;
}
