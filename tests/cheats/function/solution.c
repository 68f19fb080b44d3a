void scale(const float *x, float *y, float factor, int n) {
    // kz: begin
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
    // kz: starter
    //|     (void)x, (void)y, (void)factor, (void)n;
    // kz: end
}
