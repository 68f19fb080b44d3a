// The sum of x in float, in three ways. The order of the operations is
// given: the results are compared bit by bit.

// kz: begin
static float halves(const float *x, int n) {
    if (n == 1) return x[0];
    return halves(x, n / 2) + halves(x + n / 2, n - n / 2);
}
// kz: end

void sums(const float *x, float *naive, float *pairwise, float *kahan,
          int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    naive[0] = sum;
    // kz: begin
    pairwise[0] = halves(x, n);
    float total = 0.0f, lost = 0.0f;
    for (int i = 0; i < n; i++) {
        float term = x[i] - lost;
        float next = total + term;
        // what the addition took too much; 0 in exact arithmetic
        lost = (next - total) - term;
        total = next;
    }
    kahan[0] = total;
    // kz: starter
    //|     // the first half's sum plus the second half's, recursively
    //|     pairwise[0] = sum;
    //|     kahan[0] = sum;    // carry what each addition has lost
    // kz: end
}
