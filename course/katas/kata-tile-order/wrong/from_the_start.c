// fails: result
// Counts from tile 0 instead of from the band's first.
// Which tile is taken as number i.

void order(int *row, int *column, int rows, int columns, int height) {
    for (int i = 0; i < rows * columns; i++) {
        int band = i / (height * columns), first = band * height;
        int high = rows - first < height ? rows - first : height;
        int rest = i;
        row[i] = first + rest % high;
        column[i] = rest / high;
    }
}
