// fails: source "poisoned"
// A function that the sanitizer leaves out may read and write where it likes.
#define PASTE(a, b) a##b
__attribute__((PASTE(no_, sanitize)("address", "undefined"))) void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i <= n; i++) y[i] = factor * x[i];
}
