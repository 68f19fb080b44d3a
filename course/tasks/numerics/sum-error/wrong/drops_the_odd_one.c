// fails: result
// Both halves get n / 2 numbers: of an odd count one is lost at each level.
static float halves(const float *x, int n) { return n <= 1 ? x[0] : halves(x, n / 2) + halves(x + n / 2, n / 2); }
void sums(const float *x, float *naive, float *pairwise, float *kahan, int n) {
    float sum = 0.0f, total = 0.0f, lost = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) {
        float term = x[i] - lost, next = total + term;
        lost = (next - total) - term;
        total = next;
    }
    naive[0] = sum, pairwise[0] = halves(x, n), kahan[0] = total;
}
