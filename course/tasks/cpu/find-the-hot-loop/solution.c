// Readings of an instrument: calibrated, smoothed, and marked where a
// reading is the highest so far.
#include <math.h>
#include <stdlib.h>

static const float coefficients[] = {0.01f, 0.02f, 0.03f, 0.05f,
                                     0.1f,  0.2f,  0.5f,  1.0f};

// A polynomial of degree seven for every reading.
static void calibrate(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0f;
        for (int k = 0; k < 8; k++) y[i] = y[i] * x[i] + coefficients[k];
    }
}

// The mean of the nine readings around each; fewer at the two ends.
static void smooth(const float *y, float *smoothed, int n) {
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        int count = 0;
        for (int j = i - 4; j <= i + 4; j++)
            if (j >= 0 && j < n) sum += y[j], count++;
        smoothed[i] = sum / (float)count;
    }
}

// kz: begin
static void mark(const float *y, int *is_record, int n) {
    float highest = -INFINITY;
    for (int i = 0; i < n; i++) {
        is_record[i] = y[i] > highest;
        if (is_record[i]) highest = y[i];
    }
}
// kz: starter
//| static float highest_before(const float *y, int i) {
//|     float highest = -INFINITY;
//|     for (int j = 0; j < i; j++)
//|         if (y[j] > highest) highest = y[j];
//|     return highest;
//| }
//|
//| // 1 if a reading is above all before it.
//| static void mark(const float *y, int *is_record, int n) {
//|     for (int i = 0; i < n; i++) is_record[i] = y[i] > highest_before(y, i);
//| }
// kz: end

void records(const float *x, float *smoothed, int *is_record, int n) {
    float *y = malloc((size_t)n * sizeof *y);
    if (!y) return;
    calibrate(x, y, n);
    smooth(y, smoothed, n);
    mark(y, is_record, n);
    free(y);
}
