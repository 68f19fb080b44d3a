// fails: result
// Counters of one bin side by side, thread after thread: the worst layout, all threads share every line.
void count(const int *key, int *table, int *total, int n, int bins, int threads) {
    int pitch = (bins + 15) / 16 * 16;
    for (int i = 0; i < threads * pitch; i++) table[i] = 0;
#pragma omp parallel for
    for (int t = 0; t < threads; t++)
        for (int i = (int)((long long)t * n / threads); i < (int)((long long)(t + 1) * n / threads); i++)
            table[key[i] * threads + t]++;
    for (int b = 0; b < bins; b++) {
        total[b] = 0;
        for (int t = 0; t < threads; t++) total[b] += table[b * threads + t];
    }
}
