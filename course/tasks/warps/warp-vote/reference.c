void reference(const double *x, double *first, double *first_bound, int64_t groups, int64_t length, double limit) {
    for (int64_t group = 0; group < groups; group++) {
        first[group] = -1;
        first_bound[group] = 0;
        for (int64_t i = length - 1; i >= 0; i--)
            if (x[group * length + i] > (double)(float)limit) first[group] = (double)i;
    }
}
