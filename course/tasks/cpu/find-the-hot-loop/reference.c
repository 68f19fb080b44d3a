// A reading is calibrated by a polynomial (Horner), then smoothed over the nine readings around it (fewer at the ends), and is a
// record where its calibrated value is above all calibrated values before it. Records are decided on values that were computed
// in float exactly as the task's own function does, since two of them may be neighbours in float.
// Sizes that are a multiple of 1024 get ascending readings, on which a search that stops early does not stop.
static const float coefficients[] = {0.01f, 0.02f, 0.03f, 0.05f, 0.1f, 0.2f, 0.5f, 1.0f};

static float calibrated(float x) {
    volatile float y = 0; // rounds after each operation, whatever the compiler would like to fuse
    for (int k = 0; k < 8; k++) {
        y = y * x;
        y = y + coefficients[k];
    }
    return y;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void inputs(uint64_t seed, double *x, int64_t n) {
    (void)seed;
    for (int64_t i = 0; i < n; i++) x[i] = (double)(float)(0.5 * x[i] + 0.5); // [0, 1): there the polynomial ascends
    if (n % 1024 == 0) qsort(x, (size_t)n, sizeof *x, ascending);
}

void reference(const double *x, double *smoothed, double *smoothed_bound, double *is_record, double *is_record_bound, int64_t n) {
    (void)is_record_bound;
    float highest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        float y = calibrated((float)x[i]);
        is_record[i] = y > highest;
        highest = y > highest ? y : highest;
        double sum = 0;
        int64_t first = i < 4 ? 0 : i - 4, last = i + 4 < n ? i + 4 : n - 1;
        for (int64_t j = first; j <= last; j++) sum += (double)calibrated((float)x[j]);
        smoothed[i] = sum / (double)(last - first + 1);
        smoothed_bound[i] = 11 * U_F32 * smoothed[i]; // positive terms: 8 additions, a division, and room for another order
    }
}
