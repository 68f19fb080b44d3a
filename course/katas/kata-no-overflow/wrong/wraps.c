// fails: result
// No undefined behaviour, but the total goes round instead of stopping at the end.
void careful(const int *a, const int *b, int *middle, int *total, unsigned *distance, int n) {
    for (int i = 0; i < n; i++) {
        long long sum = (long long)a[i] + b[i];
        middle[i] = (int)((sum - (sum & 1)) / 2);
        total[i] = (int)((unsigned)a[i] + (unsigned)b[i]);
        distance[i] = a[i] > b[i] ? (unsigned)a[i] - (unsigned)b[i] : (unsigned)b[i] - (unsigned)a[i];
    }
}
