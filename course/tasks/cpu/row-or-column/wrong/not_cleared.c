// fails: result
// Adds to garbage.
void column_sums(const float *a, float *sums, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sums[j] += a[i * columns + j];
}
