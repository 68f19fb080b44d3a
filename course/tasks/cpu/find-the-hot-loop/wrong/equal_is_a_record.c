// fails: result
// Equal readings are marked as well.
#include <math.h>
#include <stdlib.h>
static const float coefficients[] = {0.01f, 0.02f, 0.03f, 0.05f, 0.1f, 0.2f, 0.5f, 1.0f};
void records(const float *x, float *smoothed, int *is_record, int n) {
    float *y = malloc((size_t)n * sizeof *y), highest = -INFINITY;
    if (!y) return;
    for (int i = 0; i < n; i++) {
        y[i] = 0.0f;
        for (int k = 0; k < 8; k++) y[i] = y[i] * x[i] + coefficients[k];
    }
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        int count = 0;
        for (int j = i - 4; j <= i + 4; j++)
            if (j >= 0 && j < n) sum += y[j], count++;
        smoothed[i] = sum / (float)count;
    }
    for (int i = 0; i < n; i++) {
        is_record[i] = y[i] >= highest;
        if (is_record[i]) highest = y[i];
    }
    free(y);
}
