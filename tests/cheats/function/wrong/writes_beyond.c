// fails: fault
// Writes behind its output.
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
    y[n + 1] = 1;
}
