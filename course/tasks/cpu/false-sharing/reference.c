// Row t of the table has the counts of share t: keys t*n/threads up to (t+1)*n/threads, rounded down. Rows are whole lines of 16
// ints; what is left over in them is 0.
void reference(const double *key, double *table, double *table_bound, double *total, double *total_bound, int64_t n, int64_t bins,
               int64_t threads) {
    (void)table_bound, (void)total_bound;
    int64_t pitch = (bins + 15) / 16 * 16;
    for (int64_t b = 0; b < bins; b++) total[b] = 0;
    for (int64_t t = 0; t < threads; t++) {
        for (int64_t b = 0; b < pitch; b++) table[t * pitch + b] = 0;
        for (int64_t i = t * n / threads; i < (t + 1) * n / threads; i++) {
            table[t * pitch + (int64_t)key[i]] += 1;
            total[(int64_t)key[i]] += 1;
        }
    }
}
