// The sum as in fragment-load; then it is rounded to a half. Near 0 a half's steps are 2^-24.
void reference(const double *a, const double *b, const double *bias, double *out, double *out_bound, int64_t n) {
    for (int64_t i = 0; i < 256 * n; i++) {
        int64_t tile = i / 256, row = i % 256 / 16, column = i % 16;
        double sum = bias[column], magnitude = fabs(sum);
        for (int64_t k = 0; k < 16; k++) {
            double product = a[tile * 256 + row * 16 + k] * b[tile * 256 + k * 16 + column];
            sum += product, magnitude += fabs(product);
        }
        out[i] = sum > 0 ? sum : 0;
        out_bound[i] = U_F16 * out[i] + 17 * U_F32 * magnitude + 0x1p-25;
    }
}
