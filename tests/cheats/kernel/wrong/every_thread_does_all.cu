// fails: race-same-value
// Every thread does the work of all; each writes the same, so that the result is right.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
        y[r] = sum;
    }
}
