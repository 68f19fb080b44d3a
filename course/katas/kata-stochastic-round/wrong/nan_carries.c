// fails: result
// A NaN with a full fraction becomes a zero.
// Floats to bfloat16, rounded at random; bits to bits.

void round_at_random(const unsigned *x, const unsigned *random,
                     unsigned *y, int n) {
    for (int i = 0; i < n; i++) {
        unsigned size = x[i] & 0x7fffffffu;
        if (size == 0x7f800000u)
            y[i] = x[i] >> 16;
        else
            y[i] = (x[i] + (random[i] & 0xffffu)) >> 16;
    }
}
