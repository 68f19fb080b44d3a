// y = transpose of x (rows x columns), by halving the longer side.

// kz: begin
// The piece of rows r0 to r1 and columns c0 to c1.
static void piece(const float *x, float *y, int rows, int columns, int r0,
                  int r1, int c0, int c1) {
    if (r1 - r0 <= 16 && c1 - c0 <= 16) {
        for (int r = r0; r < r1; r++)
            for (int c = c0; c < c1; c++)
                y[c * rows + r] = x[r * columns + c];
    } else if (r1 - r0 >= c1 - c0) {
        int middle = r0 + (r1 - r0) / 2;
        piece(x, y, rows, columns, r0, middle, c0, c1);
        piece(x, y, rows, columns, middle, r1, c0, c1);
    } else {
        int middle = c0 + (c1 - c0) / 2;
        piece(x, y, rows, columns, r0, r1, c0, middle);
        piece(x, y, rows, columns, r0, r1, middle, c1);
    }
}

void transpose(const float *x, float *y, int rows, int columns) {
    piece(x, y, rows, columns, 0, rows, 0, columns);
}
// kz: starter
//| void transpose(const float *x, float *y, int rows, int columns) {
//|     for (int r = 0; r < rows; r++)
//|         for (int c = 0; c < columns; c++) y[c * rows + r] = x[r * columns + c];
//| }
// kz: end
