// Every fifth row has no label: the first of them is row 3.
void inputs(uint64_t seed, double *logits, double *labels, int64_t rows, int64_t columns, double smoothing, double scale) {
    (void)seed, (void)logits, (void)columns, (void)smoothing, (void)scale;
    for (int64_t row = 3; row < rows; row += 5) labels[row] = row % 2 ? -100 : -1;
}

// scale (p - target), over its own input. Of p: x - greatest is rounded, exp is good to 2 u, then a sum and a quotient.
void reference(double *logits, double *logits_bound, const double *labels, int64_t rows, int64_t columns, double smoothing,
               double scale) {
    for (int64_t row = 0; row < rows; row++) {
        double *at = &logits[row * columns], *bound = &logits_bound[row * columns], greatest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < columns; i++) greatest = fmax(greatest, at[i]);
        for (int64_t i = 0; i < columns; i++) sum += exp(at[i] - greatest);
        for (int64_t i = 0; i < columns; i++) {
            double share = exp(at[i] - greatest) / sum, each = smoothing / (double)columns;
            double own = i == (int64_t)labels[row] ? 1 - smoothing : 0;
            double wrong = share * (8 + 4 * (greatest - at[i]) + 2 * sqrt((double)columns)) + 4 * (share + each + own);
            at[i] = labels[row] < 0 ? 0 : scale * (share - each - own);
            bound[i] = labels[row] < 0 ? 0 : scale * (U_F32 * wrong + 0x1p-126);
        }
    }
}
