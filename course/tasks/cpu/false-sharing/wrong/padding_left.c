// fails: result "never written"
// The padding is left as it was.
void count(const int *key, int *table, int *total, int n, int bins, int threads) {
    int pitch = (bins + 15) / 16 * 16;
#pragma omp parallel for
    for (int t = 0; t < threads; t++) {
        for (int b = 0; b < bins; b++) table[t * pitch + b] = 0;
        for (int i = (int)((long long)t * n / threads); i < (int)((long long)(t + 1) * n / threads); i++)
            table[t * pitch + key[i]]++;
    }
    for (int b = 0; b < bins; b++) {
        total[b] = 0;
        for (int t = 0; t < threads; t++) total[b] += table[t * pitch + b];
    }
}
