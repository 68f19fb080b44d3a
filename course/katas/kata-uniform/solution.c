// Random words to floats in [0, 1) and in (0, 1].

void uniform(const unsigned *words, float *from_zero, float *to_one,
             int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        unsigned upper = words[i] >> 8;
        from_zero[i] = (float)upper * 0x1p-24f;
        to_one[i] = (float)(upper + 1) * 0x1p-24f;
        // kz: starter
        //|         from_zero[i] = (float)words[i] / 4294967296.0f; // 1 may come out
        //|         to_one[i] = 1.0f - from_zero[i];
        // kz: end
    }
}
