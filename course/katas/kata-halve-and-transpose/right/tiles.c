// Tiles of 16 x 16 instead of the recursion: whoever knows the cache may do
// so.
void transpose(const float *x, float *y, int rows, int columns) {
    for (int r0 = 0; r0 < rows; r0 += 16)
        for (int c0 = 0; c0 < columns; c0 += 16)
            for (int r = r0; r < r0 + 16 && r < rows; r++)
                for (int c = c0; c < c0 + 16 && c < columns; c++)
                    y[c * rows + r] = x[r * columns + c];
}
