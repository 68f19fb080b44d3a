// fails: result
// Rounds up to 8 ints: two rows may still share a line of 64 bytes.
void count(const int *key, int *table, int *total, int n, int bins, int threads) {
    int pitch = (bins + 7) / 8 * 8;
#pragma omp parallel for
    for (int t = 0; t < threads; t++) {
        for (int b = 0; b < pitch; b++) table[t * pitch + b] = 0;
        for (int i = (int)((long long)t * n / threads); i < (int)((long long)(t + 1) * n / threads); i++)
            table[t * pitch + key[i]]++;
    }
    for (int b = 0; b < bins; b++) {
        total[b] = 0;
        for (int t = 0; t < threads; t++) total[b] += table[t * pitch + b];
    }
}
