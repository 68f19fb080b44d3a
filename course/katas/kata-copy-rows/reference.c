// to holds what went in: bytes between the rows stay.
void reference(const double *from, double *to, double *to_bound, int64_t width, int64_t height,
               int64_t from_pitch, int64_t to_pitch) {
    (void)to_bound;
    for (int64_t r = 0; r < height; r++)
        for (int64_t c = 0; c < width; c++) to[r * to_pitch + c] = from[r * from_pitch + c];
}
