// fails: result
// NaN is not checked: 0x7fffffff becomes minus zero, and 0x7f800001 infinity.
void to_bfloat16(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) y[i] = (x[i] + 0x7fff + (x[i] >> 16 & 1)) >> 16;
}
