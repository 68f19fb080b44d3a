void reference(const double *x, double *kept, double *kept_bound, double *count, double *count_bound, int64_t n, double limit) {
    int64_t place = 0;
    for (int64_t i = 0; i < n; i++) kept_bound[i] = 0;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > (double)(float)limit) kept[place++] = x[i];
    count[0] = (double)place;
    count_bound[0] = 0;
}
