// fails: result
// The second half begins one too late: rows and columns in the middle are never written.
static void piece(const float *x, float *y, int rows, int columns, int r0, int r1, int c0, int c1) {
    if (r1 - r0 <= 16 && c1 - c0 <= 16) {
        for (int r = r0; r < r1; r++)
            for (int c = c0; c < c1; c++) y[c * rows + r] = x[r * columns + c];
    } else if (r1 - r0 >= c1 - c0) {
        int middle = r0 + (r1 - r0) / 2;
        piece(x, y, rows, columns, r0, middle, c0, c1);
        piece(x, y, rows, columns, middle + 1, r1, c0, c1);
    } else {
        int middle = c0 + (c1 - c0) / 2;
        piece(x, y, rows, columns, r0, r1, c0, middle);
        piece(x, y, rows, columns, r0, r1, middle + 1, c1);
    }
}

void transpose(const float *x, float *y, int rows, int columns) {
    piece(x, y, rows, columns, 0, rows, 0, columns);
}
