// fails: result
// Multiplies the row by the number of rows: right for square matrices only. (The modulo keeps it within the matrix.)
void column_sums(const float *a, float *sums, int rows, int columns) {
    for (int j = 0; j < columns; j++) sums[j] = 0.0f;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sums[j] += a[(i * rows + j) % (rows * columns)];
}
