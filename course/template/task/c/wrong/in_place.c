// fails: input
void @FUNCTION@(const float *x, float *y, int n) {
    float *own = (float *)x;
    for (int i = 0; i < n; i++) {
        own[i] = 2 * x[i];
        y[i] = own[i];
    }
}
