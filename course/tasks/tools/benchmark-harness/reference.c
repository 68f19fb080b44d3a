// Work that is bound by memory for some n and by arithmetic for others.
void inputs(uint64_t seed, double *seconds, double *work, double *machine,
            int64_t n) {
    work[1] = work[0] * (n % 2 ? 0.1 : 1000);
    machine[1] = machine[0] * 14;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void reference(const double *seconds, const double *work,
               const double *machine, double *figures,
               double *figures_bound, int64_t n) {
    double *sorted = malloc((size_t)n * sizeof *sorted);
    memcpy(sorted, seconds, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    double median =
        n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    double intensity = work[1] / work[0],
           peak = fmin(machine[0] * intensity, machine[1]) / 1e9;
    double right[7] = {median,
                       (sorted[n * 3 / 4] - sorted[n / 4]) / median,
                       work[0] / median / 1e9,
                       work[1] / median / 1e9,
                       intensity,
                       peak,
                       work[1] / median / 1e9 / peak};
    // a few roundings in double each
    for (int i = 0; i < 7; i++)
        figures[i] = right[i], figures_bound[i] = 1e-13 * fabs(right[i]);
    free(sorted);
}
