// The bits of floats to those of bfloat16, to nearest even; every NaN to
// 0x7fff.

void to_bfloat16(const unsigned *x, unsigned *y, int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        unsigned bits = x[i], odd = bits >> 16 & 1;
        if ((bits & 0x7fffffffu) > 0x7f800000u)
            y[i] = 0x7fff;
        else
            // a tie reaches the next one only if this one is odd
            y[i] = (bits + 0x7fff + odd) >> 16;
        // kz: starter
        //|         y[i] = x[i] >> 16; // cuts off: towards zero
        // kz: end
    }
}
