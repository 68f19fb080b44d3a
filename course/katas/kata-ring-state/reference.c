void reference(double *stage, double *stage_bound, double *full, double *full_bound, double *empty, double *empty_bound, int64_t n, int64_t stages) {
    for (int64_t i = 0; i < n; i++) {
        stage[i] = (double)(i % stages), full[i] = (double)(i / stages % 2), empty[i] = 1 - full[i];
        stage_bound[i] = full_bound[i] = empty_bound[i] = -1;
    }
}
