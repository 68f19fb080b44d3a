// The volume with a border of zeros, one element thick. Values are copied: no bound.
void reference(const double *in, double *out, double *out_bound, int64_t depth, int64_t height,
               int64_t width) {
    (void)out_bound;
    for (int64_t z = 0; z < depth + 2; z++)
        for (int64_t y = 0; y < height + 2; y++)
            for (int64_t x = 0; x < width + 2; x++) {
                int inside = z > 0 && z <= depth && y > 0 && y <= height && x > 0 && x <= width;
                out[(z * (height + 2) + y) * (width + 2) + x] =
                    inside ? in[((z - 1) * height + y - 1) * width + x - 1] : 0;
            }
}
