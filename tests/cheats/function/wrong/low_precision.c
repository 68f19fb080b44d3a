// fails: result
// Products of half precision.
static float round_down(float v) {
    union { float f; unsigned u; } bits = {v};
    bits.u &= 0xffffe000u;
    return bits.f;
}
void scale(const float *x, float *y, float factor, int n) {
    for (int i = 0; i < n; i++) y[i] = round_down(factor) * round_down(x[i]);
}
