// fails: result
// 23 bits, as by writing them into a fraction.
// Random words to floats in [0, 1) and in (0, 1].

void uniform(const unsigned *words, float *from_zero, float *to_one,
             int n) {
    for (int i = 0; i < n; i++) {
        unsigned upper = words[i] >> 9 << 1;
        from_zero[i] = (float)upper * 0x1p-24f;
        to_one[i] = (float)(upper + 1) * 0x1p-24f;
    }
}
