// z = max(0, gain * x + y), and total[0] = the sum of z.

// kz: begin
void blend(const float *restrict x, const float *restrict y,
           float *restrict z, float *restrict total, float gain, int n) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        float v = gain * x[i] + y[i];
        z[i] = v > 0.0f ? v : 0.0f;
        sum += z[i];
    }
    total[0] = sum;
}
// kz: starter
//| void blend(const float *x, const float *y, float *z, float *total,
//|            float gain, int n) {
//|     total[0] = 0.0;
//|     for (int i = 0; i < n; i++) {
//|         z[i] = gain * x[i] + y[i];
//|         if (z[i] < 0.0) z[i] = 0.0;
//|         total[0] += z[i];
//|     }
//| }
// kz: end
