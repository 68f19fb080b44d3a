// fails: source
// One thread.
void sum(const float *x, float *total, int n) {
    float all = 0.0f;
    for (int i = 0; i < n; i++) all += x[i];
    total[0] = all;
}
