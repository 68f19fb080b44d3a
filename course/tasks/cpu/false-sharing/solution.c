// Counts how often each key (0 to bins - 1) occurs: thread t counts its
// share of the keys in a row of its own in `table`, and the rows are
// added up into `total`. The table begins at the start of a line, and
// its rows are whole lines.

void count(const int *key, int *table, int *total, int n, int bins,
           int threads) {
    // kz: begin
    // ints: rows of whole lines of 64 bytes
    int pitch = (bins + 15) / 16 * 16;
#pragma omp parallel for
    for (int t = 0; t < threads; t++) {
        int *own = &table[t * pitch];
        for (int b = 0; b < pitch; b++) own[b] = 0;
        int first = (int)((long long)t * n / threads),
            end = (int)((long long)(t + 1) * n / threads);
        for (int i = first; i < end; i++) own[key[i]]++;
    }
    for (int b = 0; b < bins; b++) {
        total[b] = 0;
        for (int t = 0; t < threads; t++) total[b] += table[t * pitch + b];
    }
    // kz: starter
    //|     // Row t begins at table[t * bins]: two threads share the
    //|     // line where their rows touch.
    //| #pragma omp parallel for
    //|     for (int t = 0; t < threads; t++) {
    //|         int *own = &table[t * bins];
    //|         for (int b = 0; b < bins; b++) own[b] = 0;
    //|         int first = (int)((long long)t * n / threads),
    //|             end = (int)((long long)(t + 1) * n / threads);
    //|         for (int i = first; i < end; i++) own[key[i]]++;
    //|     }
    //|     for (int b = 0; b < bins; b++) {
    //|         total[b] = 0;
    //|         for (int t = 0; t < threads; t++) total[b] += table[t * bins + b];
    //|     }
    // kz: end
}
