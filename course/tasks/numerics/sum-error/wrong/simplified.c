// fails: result
// (next - total) - term, simplified as algebra allows: 0.
static float halves(const float *x, int n) { return n == 1 ? x[0] : halves(x, n / 2) + halves(x + n / 2, n - n / 2); }
void sums(const float *x, float *naive, float *pairwise, float *kahan, int n) {
    float sum = 0.0f, total = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) total = total + x[i];
    naive[0] = sum, pairwise[0] = halves(x, n), kahan[0] = total;
}
