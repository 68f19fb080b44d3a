// fails: result
// The starter.
// 1 - beta^steps, to all digits.
#include <math.h>

void corrections(const float *beta, const int *steps, float *correction,
                 int n) {
    for (int i = 0; i < n; i++) {
        correction[i] = 1.0f - powf(beta[i], (float)steps[i]);
    }
}
