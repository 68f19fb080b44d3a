// fails: gate d1_misses
// Halves the rows only: pieces stay 700 columns wide, and touch 700 lines of y.
static void piece(const float *x, float *y, int rows, int columns, int r0, int r1) {
    if (r1 - r0 <= 1) {
        for (int r = r0; r < r1; r++)
            for (int c = 0; c < columns; c++) y[c * rows + r] = x[r * columns + c];
        return;
    }
    int middle = r0 + (r1 - r0) / 2;
    piece(x, y, rows, columns, r0, middle);
    piece(x, y, rows, columns, middle, r1);
}

void transpose(const float *x, float *y, int rows, int columns) { piece(x, y, rows, columns, 0, rows); }
