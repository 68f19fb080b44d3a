// All exact: sums of two ints fit a double with room to spare.
void inputs(uint64_t seed, double *a, double *b, int64_t n) {
    static const double ends[] = {-2147483648.0, -2147483647.0, -3, -1, 0, 1, 2, 2147483646.0, 2147483647.0};
    int64_t count = sizeof ends / sizeof *ends;
    for (int64_t i = 0; i < n; i++) { // every second pair has an end in it
        uint64_t pick = seed / 7 + (uint64_t)i * 5;
        if (i % 2) a[i] = ends[pick % (uint64_t)count];
        if (i % 3 == 1) b[i] = ends[(pick / 9) % (uint64_t)count];
    }
    if (n > 5) a[0] = b[0] = 2147483647.0, a[2] = b[2] = -2147483648.0, a[4] = -3, b[4] = 0;
}

void reference(const double *a, const double *b, double *middle, double *middle_bound, double *total,
               double *total_bound, double *distance, double *distance_bound, int64_t n) {
    (void)middle_bound, (void)total_bound, (void)distance_bound;
    for (int64_t i = 0; i < n; i++) {
        middle[i] = floor((a[i] + b[i]) / 2);
        total[i] = fmin(fmax(a[i] + b[i], -2147483648.0), 2147483647.0);
        distance[i] = fabs(a[i] - b[i]);
    }
}
