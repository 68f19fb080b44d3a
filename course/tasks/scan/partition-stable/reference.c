void reference(const double *keys, double *sorted, double *sorted_bound, int64_t n, int64_t bit) {
    int64_t place = 0;
    for (int64_t wanted = 0; wanted < 2; wanted++)
        for (int64_t i = 0; i < n; i++)
            if (((int64_t)keys[i] >> bit & 1) == wanted) sorted_bound[place] = 0, sorted[place++] = keys[i];
}
