// fails: race
// Private sums, merged without protection: the race is rarer now, and still there.
void sum(const float *x, float *total, int n) {
    float all = 0.0f;
#pragma omp parallel
    {
        float mine = 0.0f;
#pragma omp for
        for (int i = 0; i < n; i++) mine += x[i];
        all += mine;
    }
    total[0] = all;
}
