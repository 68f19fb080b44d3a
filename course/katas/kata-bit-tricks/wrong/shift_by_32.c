// fails: undefined "shift"
// Counts leading zeros of 0, and shifts by 32: both are undefined.
void bits(const unsigned *x, unsigned *lowest, unsigned *rest, unsigned *power, int n) {
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        lowest[i] = v & -v;
        rest[i] = v & (v - 1);
        power[i] = 1u << (32 - __builtin_clz(v - 1));
    }
}
