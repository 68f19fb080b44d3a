// The code of a magnitude that is 448 at most, and how close it is to the middle between two codes.
static double code_of(double magnitude, double *from_middle) {
    int exponent;
    frexp(magnitude, &exponent);
    exponent = magnitude > 0 && exponent - 1 > -6 ? exponent - 1 : -6;
    double step = ldexp(1, exponent - 3), count = magnitude / step, below = floor(count);
    double rest = count - below;
    *from_middle = fabs(rest - 0.5) * step;
    if (rest > 0.5 || (rest == 0.5 && fmod(below, 2) == 1)) below++;
    double code = below + (exponent + 6) * 8; // normal numbers count from 8: the implicit bit
    return code > 126 ? 126 : code;
}

void reference(const double *x, double *codes, double *codes_bound, double *scales, double *scales_bound, int64_t n) {
    for (int64_t b = 0; b < n; b++) {
        double largest = 0, middle;
        for (int64_t i = 0; i < 128; i++) largest = fmax(largest, fabs(x[b * 128 + i]));
        double scale = largest > 0 ? largest / 448 : 1;
        scales[b] = scale;
        scales_bound[b] = U_F32 * scale;
        for (int64_t i = b * 128; i < (b + 1) * 128; i++) {
            double value = fabs(x[i]) / scale;
            codes[i] = code_of(value, &middle) + (signbit(x[i]) ? 128 : 0);
            codes_bound[i] = middle <= 4 * U_F32 * value ? 1 : 0;
        }
    }
}
