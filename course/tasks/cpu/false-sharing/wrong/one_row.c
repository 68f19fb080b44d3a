// fails: result
// All threads count in the same row: now they do share, and lose counts.
void count(const int *key, int *table, int *total, int n, int bins, int threads) {
    int pitch = (bins + 15) / 16 * 16;
    for (int i = 0; i < threads * pitch; i++) table[i] = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < n; i++) table[key[i]]++;
    for (int b = 0; b < bins; b++) total[b] = table[b];
}
