// fails: result
// The largest words become 1.
// Random words to floats in [0, 1) and in (0, 1].

void uniform(const unsigned *words, float *from_zero, float *to_one,
             int n) {
    for (int i = 0; i < n; i++) {
        unsigned upper = words[i] >> 8;
        from_zero[i] = (float)words[i] * 0x1p-32f;
        to_one[i] = (float)(upper + 1) * 0x1p-24f;
    }
}
