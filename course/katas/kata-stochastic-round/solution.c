// Floats to bfloat16, rounded at random; bits to bits.

void round_at_random(const unsigned *x, const unsigned *random, unsigned *y,
                     int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        unsigned size = x[i] & 0x7fffffffu;
        if (size > 0x7f800000u)
            y[i] = 0x7fff;
        else if (size == 0x7f800000u)
            y[i] = x[i] >> 16;
        else
            y[i] = (x[i] + (random[i] & 0xffffu)) >> 16;
        // kz: starter
        //|         y[i] = (x[i] + 0x8000) >> 16; // to nearest, nearly
        // kz: end
    }
}
