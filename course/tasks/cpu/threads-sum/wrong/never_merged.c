// fails: result
// private(all) gives each thread a sum of its own, and throws it away.
void sum(const float *x, float *total, int n) {
    float all = 0.0f;
#pragma omp parallel for firstprivate(all)
    for (int i = 0; i < n; i++) all += x[i];
    total[0] = all;
}
