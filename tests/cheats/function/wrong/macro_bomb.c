// fails: compile "was stopped"
// Has the compiler expand without end.
#define A(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define B(...) A(A(A(__VA_ARGS__)))
static const float big[] = {B(B(B(1.0f)))};
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = factor * x[i] + 0 * big[i];
}
