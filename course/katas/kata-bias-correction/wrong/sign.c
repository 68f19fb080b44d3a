// fails: result
// 1 - beta^steps, to all digits.
#include <math.h>

void corrections(const float *beta, const int *steps, float *correction,
                 int n) {
    for (int i = 0; i < n; i++) {
        correction[i] = expm1f((float)steps[i] * logf(beta[i]));
    }
}
