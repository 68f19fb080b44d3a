void reference(const double *x, double *partial, double *partial_bound, double *ticket, double *ticket_bound, double *total,
               double *total_bound, int64_t n) {
    double magnitude = 0;
    total[0] = 0;
    for (int64_t b = 0; b < (n + 255) / 256; b++) {
        double sum = 0, size = 0;
        for (int64_t i = b * 256; i < b * 256 + 256 && i < n; i++) sum += x[i], size += fabs(x[i]);
        partial[b] = sum;
        partial_bound[b] = 18 * U_F32 * size;
        total[0] += sum;
        magnitude += size;
    }
    total_bound[0] = (20 + 2 * sqrt((double)n / 256)) * U_F32 * magnitude;
    ticket[0] = ticket_bound[0] = 0;
}
