// fails: timeout
// Never ends.
void scale(const float *x, float *y, float factor, int n) {
    for (volatile unsigned i = 0;; i++) {}
}
