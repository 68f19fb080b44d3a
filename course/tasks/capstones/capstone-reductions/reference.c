void reference(const double *x, double *result, double *result_bound, int64_t n, int64_t operation) {
    double sum = 0, magnitude = 0, greatest = -INFINITY;
    bool nan = false;
    for (int64_t i = 0; i < n; i++) {
        double value = operation == 2 ? x[i] * x[i] : x[i];
        sum += value, magnitude += fabs(value);
        if (x[i] > greatest) greatest = x[i];
        nan |= isnan(x[i]);
    }
    result[0] = nan ? NAN : operation == 1 ? greatest : sum;
    result_bound[0] = operation == 1 ? 0 : (2 + 2 * sqrt((double)n)) * U_F32 * magnitude;
}
