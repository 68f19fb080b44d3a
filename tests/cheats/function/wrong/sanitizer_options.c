// fails: source "the sanitizer's own"
// The sanitizer asks the program itself how it shall work.
#if defined __SANITIZE_ADDRESS__ || defined __clang__
const char *options(void) __asm__("__asan_default_options");
const char *options(void) { return "detect_leaks=0:exitcode=0:halt_on_error=0"; }
#endif
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
