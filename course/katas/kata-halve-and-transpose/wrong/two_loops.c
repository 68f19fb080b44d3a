// fails: gate d1_misses
// The plain loops.
void transpose(const float *x, float *y, int rows, int columns) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) y[c * rows + r] = x[r * columns + c];
}
