// fails: gate instructions
// A wrong guess: the window of nine is now a running sum, and the loop that costs is untouched.
#include <math.h>
#include <stdlib.h>
static const float coefficients[] = {0.01f, 0.02f, 0.03f, 0.05f, 0.1f, 0.2f, 0.5f, 1.0f};
static float highest_before(const float *y, int i) {
    float highest = -INFINITY;
    for (int j = 0; j < i; j++)
        if (y[j] > highest) highest = y[j];
    return highest;
}
void records(const float *x, float *smoothed, int *is_record, int n) {
    float *y = malloc((size_t)n * sizeof *y);
    if (!y) return;
    for (int i = 0; i < n; i++) {
        y[i] = 0.0f;
        for (int k = 0; k < 8; k++) y[i] = y[i] * x[i] + coefficients[k];
    }
    double sum = 0.0; // in double a running sum is good enough
    int count = 0;
    for (int i = -4; i < n; i++) {
        if (i + 4 < n) sum += y[i + 4], count++;
        if (i >= 5) sum -= y[i - 5], count--;
        if (i >= 0) smoothed[i] = (float)(sum / count);
    }
    for (int i = 0; i < n; i++) is_record[i] = y[i] > highest_before(y, i);
    free(y);
}
