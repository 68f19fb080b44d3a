// fails: result
// Goes along the band's rows first.
// Which tile is taken as number i.

void order(int *row, int *column, int rows, int columns, int height) {
    for (int i = 0; i < rows * columns; i++) {
        int band = i / (height * columns), first = band * height;
        int high = rows - first < height ? rows - first : height;
        int rest = i - first * columns;
        row[i] = first + rest / columns;
        column[i] = rest % columns;
    }
}
