// Every operation in float, in the order that the statement gives: there is one right answer, to the last bit.
static float pair(const double *x, int64_t n) {
    if (n == 1) return (float)x[0];
    volatile float left = pair(x, n / 2), right = pair(x + n / 2, n - n / 2);
    return left + right;
}

void reference(const double *x, double *naive, double *naive_bound, double *pairwise, double *pairwise_bound, double *kahan,
               double *kahan_bound, int64_t n) {
    (void)naive_bound, (void)pairwise_bound, (void)kahan_bound;
    volatile float plain = 0, sum = 0, lost = 0, term, next, gained; // volatile: rounded after each operation
    for (int64_t i = 0; i < n; i++) plain = plain + (float)x[i];
    for (int64_t i = 0; i < n; i++) {
        term = (float)x[i] - lost;
        next = sum + term;
        gained = next - sum;
        lost = gained - term;
        sum = next;
    }
    naive[0] = (double)plain;
    pairwise[0] = (double)pair(x, n);
    kahan[0] = (double)sum;
}
