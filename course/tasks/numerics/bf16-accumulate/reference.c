// A float rounded to 8 digits, ties to even. (No number here is below 2^-126.)
static float narrowed(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&value, &bits, 4);
    return value;
}

void reference(const double *x, double *narrow, double *narrow_bound, double *parts, double *parts_bound, double *wide,
               double *wide_bound, int64_t n, int64_t columns) {
    (void)narrow_bound, (void)parts_bound, (void)wide_bound;
    for (int64_t c = 0; c < columns; c++) {
        volatile float all = 0, part = 0, of_parts = 0, sum = 0, next;
        for (int64_t k = 0; k < n; k++) {
            float v = (float)x[k * columns + c];
            next = all + v, all = narrowed(next);
            next = part + v, part = narrowed(next);
            sum = sum + v;
            if (k % 16 == 15 || k == n - 1) of_parts = of_parts + part, part = 0;
        }
        narrow[c] = (double)all, parts[c] = (double)of_parts, wide[c] = (double)sum;
    }
}
