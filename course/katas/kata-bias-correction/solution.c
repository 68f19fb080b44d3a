// 1 - beta^steps, to all digits.
#include <math.h>

void corrections(const float *beta, const int *steps, float *correction,
                 int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        correction[i] = -expm1f((float)steps[i] * logf(beta[i]));
        // kz: starter
        //|         correction[i] = 1.0f - powf(beta[i], (float)steps[i]);
        // kz: end
    }
}
