// y[i] = 2 * x[i].
void @FUNCTION@(const float *x, float *y, int n) {
    // kz: begin
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    // kz: starter
    //|     // Fill y.
    // kz: end
}
