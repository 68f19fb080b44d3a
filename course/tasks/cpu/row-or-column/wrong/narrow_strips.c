// fails: gate d1_misses
// Four columns at a time: better than one, but a line has sixteen, and it is fetched four times.
void column_sums(const float *a, float *sums, int rows, int columns) {
    for (int j0 = 0; j0 < columns; j0 += 4) {
        int j1 = j0 + 4 < columns ? j0 + 4 : columns;
        for (int j = j0; j < j1; j++) sums[j] = 0.0f;
        for (int i = 0; i < rows; i++)
            for (int j = j0; j < j1; j++) sums[j] += a[i * columns + j];
    }
}
