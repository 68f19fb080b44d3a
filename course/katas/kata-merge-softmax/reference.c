// Every third part or so is empty; row 4 of each 5 is empty altogether.
void inputs(uint64_t seed, double *greatest, double *sums, double *means, int64_t rows, int64_t parts, int64_t width) {
    for (int64_t k = 0; k < rows * parts; k++) {
        if ((k * 7 + (int64_t)(seed % 3)) % 3 != 0 && k / parts % 5 != 4) {
            if (k % 2) greatest[k] = (double)(float)(150 + greatest[k] / 100); // some near each other, so that several count
            continue;
        }
        greatest[k] = -INFINITY, sums[k] = 0;
        for (int64_t i = 0; i < width; i++) means[k * width + i] = k % 2 ? NAN : 7;
    }
}

// Weights are off by the exponent's rounding and a few u.
void reference(const double *greatest, const double *sums, const double *means, double *out, double *out_bound, int64_t rows,
               int64_t parts, int64_t width) {
    for (int64_t row = 0; row < rows; row++) {
        double largest = -INFINITY, total = 0, wrong = 0;
        for (int64_t p = 0; p < parts; p++) largest = fmax(largest, greatest[row * parts + p]);
        for (int64_t i = 0; i < width; i++) out[row * width + i] = out_bound[row * width + i] = 0;
        for (int64_t p = 0; p < parts; p++) {
            double low = largest - greatest[row * parts + p], weight = sums[row * parts + p] * exp(-low);
            if (sums[row * parts + p] == 0) continue;
            double off = U_F32 * weight * (8 + 2 * low + 2 * (double)parts);
            total += weight, wrong += off;
            for (int64_t i = 0; i < width; i++) {
                double mean = means[(row * parts + p) * width + i];
                out[row * width + i] += weight * mean;
                out_bound[row * width + i] += off * fabs(mean) + 0x1p-120;
            }
        }
        for (int64_t i = 0; i < width && total > 0; i++) {
            out[row * width + i] /= total;
            out_bound[row * width + i] =
                out_bound[row * width + i] / total + fabs(out[row * width + i]) * (wrong / total + 2 * U_F32);
        }
    }
}
