// fails: gate d1_misses
// Transposes into a matrix of its own so that the sum can go along rows: now the transpose goes down the columns.
#include <stdlib.h>
void column_sums(const float *a, float *sums, int rows, int columns) {
    float *t = malloc((size_t)rows * (size_t)columns * sizeof *t);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) t[j * rows + i] = a[i * columns + j];
    for (int j = 0; j < columns; j++) {
        sums[j] = 0.0f;
        for (int i = 0; i < rows; i++) sums[j] += t[j * rows + i];
    }
    free(t);
}
