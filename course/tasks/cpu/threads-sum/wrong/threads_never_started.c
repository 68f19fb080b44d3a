// fails: gate started_threads
// One thread. The parallel region stands where no call comes by.
void sum(const float *x, float *total, int n) {
    float s[4] = {0};
    for (int i = 0; i < n; i++) s[i & 3] += x[i];
    total[0] = (s[0] + s[1]) + (s[2] + s[3]);
    if (n < 0) {
#pragma omp parallel
        total[0] = 0;
    }
}
