// fails: result
void @FUNCTION@(const float *x, float *y, int n) {
    for (int i = 0; i < n - 1; i++) y[i] = 2 * x[i];
}
