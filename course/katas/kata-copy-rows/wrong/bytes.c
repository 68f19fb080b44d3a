// fails: gate instructions
// Right, one byte after the other.
void copy_rows(const unsigned char *from, unsigned char *to, int width, int height, int from_pitch,
               int to_pitch) {
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++) to[r * to_pitch + c] = from[r * from_pitch + c];
}
