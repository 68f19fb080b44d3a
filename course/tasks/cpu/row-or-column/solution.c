// The sum of each column of a row-major matrix.

void column_sums(const float *a, float *sums, int rows, int columns) {
    // kz: begin
    for (int j = 0; j < columns; j++) sums[j] = 0.0f;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sums[j] += a[i * columns + j];
    // kz: starter
    //|     for (int j = 0; j < columns; j++) {
    //|         float sum = 0.0f;
    //|         for (int i = 0; i < rows; i++) sum += a[i * columns + j];
    //|         sums[j] = sum;
    //|     }
    // kz: end
}
