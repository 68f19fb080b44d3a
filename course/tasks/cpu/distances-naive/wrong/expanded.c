// fails: result
// |a|^2 + |b|^2 - 2ab: fine near the origin, hopeless for near points far from it.
void distances(const float *x, float *d, int n, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            float aa = 0.0f, bb = 0.0f, ab = 0.0f;
            for (int p = 0; p < k; p++) {
                aa += x[i * k + p] * x[i * k + p];
                bb += x[j * k + p] * x[j * k + p];
                ab += x[i * k + p] * x[j * k + p];
            }
            d[i * n + j] = d[j * n + i] = aa + bb - 2.0f * ab;
        }
}
