// The lowest set bit of each word, the word without it, and the next power
// of two.

void bits(const unsigned *x, unsigned *lowest, unsigned *rest,
          unsigned *power, int n) {
    for (int i = 0; i < n; i++) {
        // kz: begin
        unsigned v = x[i];
        lowest[i] = v & -v;
        rest[i] = v & (v - 1);
        v = v ? v - 1 : 0;
        // ones below the highest bit: 2, 4, 8, 16, then all of them
        v |= v >> 1;
        v |= v >> 2;
        v |= v >> 4;
        v |= v >> 8;
        v |= v >> 16;
        power[i] = v + 1;
        // kz: starter
        //|         unsigned v = x[i], bit = 1;
        //|         lowest[i] = 0;
        //|         for (int b = 0; b < 32; b++)
        //|             if (v & (1u << b)) {
        //|                 lowest[i] = 1u << b;
        //|                 break;
        //|             }
        //|         rest[i] = v - lowest[i];
        //|         while (bit < v) bit *= 2;
        //|         power[i] = bit;
        // kz: end
    }
}
